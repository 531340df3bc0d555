"""What a reviewer is asked: from a cue to the whole request, in the words of a pack."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from peerjudge.data import Cue, PromptPack, Request, Transcript, Turn
from peerjudge.engine.identity import Draws
from peerjudge.prompts import Prompter, collect_heard, order_heard

__all__ = ["Asking"]


class Asking:
    """Writes the requests of one discussion and remembers what the next of them repeats.

    It is asked for turns in their order; the same turn may be asked for again.

    Args:
        transcript: The discussion, with the turns it has so far.
        pack: The words in which reviewers are asked.
        roles: The role prompts, by seat id.
    """

    def __init__(
        self, transcript: Transcript, *, pack: PromptPack, roles: Mapping[str, str]
    ) -> None:
        self._transcript = transcript
        self._seats = {seat.id: seat for seat in transcript.seats}
        self._draws = Draws(transcript)
        self._prompter = Prompter(
            pack, seats=transcript.seats, comparison=transcript.comparison, roles=roles
        )

    def request(self, cue: Cue, turns: tuple[Turn, ...]) -> Request:
        """What the cued seat is asked after these turns.

        Raises `PromptError` where the pack has no words for the cue.
        """
        heard = collect_heard(turns, cue)
        shown = order_heard(heard, cue)
        return Request(
            discussion=self._transcript.id,
            turn=len(turns),
            seat=self._seats[cue.seat],
            cue=cue,
            comparison=self._transcript.comparison,
            heard=heard,
            messages=self._prompter.render(cue, shown),
            drawn=partial(self._draws.of, cue, shown, turns),
        )

"""Report of the study as Markdown: every number from the published transcripts and the manifest.

The tables are those of `peerjudge report`, `score` and `events --summary`; this module only chooses
them and writes sentences around their numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from peerjudge.analysis import (
    Ballots,
    Compared,
    Findings,
    build_findings,
    collect_transcripts,
    compare_all,
    measure_mean_margin,
    tabulate_by_condition,
)
from peerjudge.analysis.effort import Spoken
from peerjudge.analysis.scoring import score_ballots
from peerjudge.data import Measurement, Transcript
from peerjudge.reporting.formats import SIMULATED, counted, tokens
from peerjudge.results.contrasts import build_contrasts_table
from peerjudge.results.opinions import build_events_table, build_summary_tables
from peerjudge.results.scores import build_margins_table
from peerjudge.results.ways import build_ways_table
from peerjudge.statistics.sampler import Sampler
from studies.real_models.excerpts import RULE, choose_excerpts, write_excerpt, write_short_excerpt
from studies.real_models.sentences import list_findings, list_limits
from studies.real_models.tables import (
    build_calls_table,
    build_conditions_table,
    build_orders_table,
    build_replies_table,
    write_table,
)

Manifest = Mapping[str, Any]
TITLE = "Real models changing their minds"
_SAMPLE = "sample"
_LEGEND = (
    "`single`: one model gives a bare verdict. `explained`: it reviews both answers and ends in a verdict, "
    "as each seat does before it votes or discusses. `prepair`: it explains each answer alone, then "
    "decides. `self_discussion`: a model discusses with itself at two temperatures. `vote`: the reviews of "
    "both models decide; `vote_of_six`: six of them, as many calls as a discussion of four turns makes. "
    "`leader_follower`: the models discuss after their reviews. `prepair_discussion`: the same after "
    "explaining each answer alone. `hearing`: the first exchange of `leader_follower`; the controls change "
    "what is heard: nothing (`placebo`), the other's choice with reasons that belong to another question "
    "(`irrelevant`), or reasons for the other answer (`swapped`). Margin: the mean probability that a "
    "reply gives to the gold answer, with the log-odds averaged over both orders; a preference for one "
    "label cancels out of it."
)
_ASKED = {
    "sample": "the built-in sample: questions with a right and a wrong answer",
    "llmbar": "the shortest pairs of LLMBar's Natural subset",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One data set: its transcripts and what they say; `margins` by condition, where there are any.

    `compared` has every two conditions.
    """

    name: str
    transcripts: tuple[Transcript, ...]
    findings: Findings
    ballots: Ballots
    margins: Mapping[str, Measurement]
    compared: tuple[Compared, ...]


def write_report(manifest: Manifest, transcripts: Mapping[str, Sequence[Transcript]]) -> str:
    """Return the report; the same text for the same manifest and transcripts."""
    parts = [_read_part(name, held) for name, held in transcripts.items()]
    blocks = [
        f"# {TITLE}",
        _introduce(manifest, parts),
        "## Findings",
        _LEGEND,
        *(_write_findings(part) for part in parts),
        "## Limits",
        _write_limits(parts),
        *_write_excerpts(manifest, transcripts.get(_SAMPLE, ())),
        *(block for part in parts for block in _write_tables(part)),
        "## Method",
        _write_method(manifest),
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"


def write_readme_section(manifest: Manifest, transcripts: Sequence[Transcript]) -> str:
    """Return the section of the README: the first excerpt of the report, shortened, and the link."""
    chosen = choose_excerpts(transcripts)
    titles = _titles(manifest)
    comparisons = len({one.comparison.id for one in transcripts})
    what = (
        f"{' and '.join(titles.values())} judged {counted(comparisons, 'comparison')} of the built-in "
        "sample on an ordinary processor, alone and in discussions. The "
        "[report](docs/studies/real_models/report.md) has all transcripts, and how little such small "
        "models show; a test recomputes every number."
    )
    if not chosen:
        return f"## {TITLE}\n\n{what}"
    excerpt = chosen[0]
    shown = (
        f"{excerpt.kind} (`{excerpt.transcript.condition}` on `{excerpt.transcript.comparison.id}`, the "
        "first such event in the file):"
    )
    words = "\n".join(write_short_excerpt(excerpt, titles)).strip()
    return f"## {TITLE}\n\n{what}\n\n{shown}\n\n{words}"


def _read_part(name: str, transcripts: Sequence[Transcript]) -> Part:
    ballots, sampler = collect_transcripts(transcripts), Sampler()
    rows = tabulate_by_condition(ballots.of_discussions(ballots.discussions.complete))
    margins = {row.name: measure_mean_margin(row, sampler=sampler) for row in rows}
    return Part(
        name=name,
        transcripts=tuple(transcripts),
        findings=build_findings(transcripts),
        ballots=ballots,
        compared=compare_all([row for row in rows if row.right], sampler=sampler),
        margins={name: margin for name, margin in margins.items() if margin is not None},
    )


def _introduce(manifest: Manifest, parts: Sequence[Part]) -> str:
    spoken = _sum_spoken(parts)
    generated = spoken.paid + spoken.simulated
    read = tokens(spoken.prompt_tokens + spoken.completion_tokens)
    what = (
        f"{' and '.join(_titles(manifest).values())} judge pairs of answers alone, in votes, and in "
        f"discussions with each other and with themselves: "
        f"{counted(sum(len(part.transcripts) for part in parts), 'transcript')}, {generated:,} generated "
        f"replies, {spoken.cached:,} more shared between conditions, {read}."
    )
    how = (
        "The transcripts are beside this page. Every number on it is computed from them by `python -m "
        "studies.real_models report`, and a test recomputes the page. All commands read the files, for "
        "example `peerjudge events docs/studies/real_models/sample.jsonl.gz --summary`."
    )
    simulated = any(part.findings.simulated for part in parts)
    return "\n\n".join([f"**{SIMULATED}**", what, how] if simulated else [what, how])


def _write_findings(part: Part) -> str:
    questions = counted(part.findings.questions, "question")
    head = f"On {_ASKED.get(part.name, part.name)} ({questions}):"
    return _write_list(head, list_findings(part.findings, part.margins, part.compared))


def _write_limits(parts: Sequence[Part]) -> str:
    limits = list_limits([part.findings for part in parts], [part.name for part in parts])
    return _write_list("", limits)


def _write_list(head: str, lines: Sequence[str]) -> str:
    return "\n".join([*([head, ""] if head else []), *(f"- {line}" for line in lines)])


def _write_excerpts(manifest: Manifest, transcripts: Sequence[Transcript]) -> Iterator[str]:
    chosen = choose_excerpts(transcripts)
    if not chosen:
        return
    yield "## Discussions to read"
    yield f"From the sample, whose texts are the project's own. {RULE}"
    for excerpt in chosen:
        one = excerpt.transcript
        yield f"### {excerpt.kind}"
        yield (
            f"`{one.condition}`, `{one.comparison.id}`, discussion `{one.id[:8]}`, turn "
            f"{excerpt.event.turn}."
        )
        yield "\n".join(write_excerpt(excerpt, _titles(manifest))).strip()


def _write_tables(part: Part) -> Iterator[str]:
    findings = part.findings
    yield f"## Tables: {part.name}"
    yield (
        f"On {_ASKED.get(part.name, part.name)}. Intervals: {100 * findings.level:.0f} %, from resampling "
        f"the {counted(findings.questions, 'question')}."
    )
    tables = [
        build_ways_table(findings.ways, simulated=findings.simulated),
        build_margins_table(score_ballots(part.ballots)),
        build_orders_table(findings.conditions),
        build_events_table(findings.by_seat),
        *build_summary_tables(findings.stances)[2:],
        build_contrasts_table(findings.contrasts),
        build_replies_table(part.transcripts),
        build_calls_table(findings.spoken),
    ]
    yield from (write_table(table) for table in tables if table.rows)


def _write_method(manifest: Manifest) -> str:
    settings, machine, played = manifest["settings"], manifest["machine"], manifest["played"]
    pack, (cold, warm) = settings["prompts"], settings["self_discussion"]
    where = (
        f"Played {_span(played['begun'], played['latest'])} on {machine['cores']} cores "
        f"({machine['architecture']}, no GPU)."
    )
    how = (
        f"Prompt pack `{pack}` (identity `{manifest['packs'][pack]}`), seed {settings['seed']}, at most "
        f"{settings['max_tokens']} tokens per reply, {counted(settings['turns'], 'public turn')} per "
        f"discussion. Temperature {settings['temperature']:g}, but in self-discussions {cold:g} for the "
        f"leader and {warm:g} for the follower, and in the vote of six all three."
    )
    orders = (
        "Every comparison is shown in both orders. Leader `both`: each seat leads once; `random`: drawn "
        "for each comparison."
    )
    published = manifest["published"]
    models = map(_describe_model, manifest["models"])
    lines = [*models, where, how, orders, published["logprobs"], published["texts"]]
    return f"{_write_list('', lines)}\n\n{write_table(build_conditions_table(manifest))}"


def _describe_model(model: Mapping[str, Any]) -> str:
    known = f"{model['maker']}, {model['licence']}, {model['quantization']}"
    facts = [f"`{model['card']}` is {model['title']} ({known})"]
    if "sha256" in model["file"]:
        facts.append(f"SHA-256 of the file `{model['file']['sha256']}`")
    if "software" in model["server"]:
        facts.append(f"served by {model['server']['software']}")
    return f"{', '.join(facts)}."


def _span(begun: str, latest: str) -> str:
    return f"on {begun}" if begun == latest else f"from {begun} to {latest}"


def _sum_spoken(parts: Sequence[Part]) -> Spoken:
    total = Spoken()
    for part in parts:
        for spoken in part.findings.spoken.values():
            total += spoken
    return total


def _titles(manifest: Manifest) -> dict[str, str]:
    return {model["card"]: model["title"] for model in manifest["models"]}

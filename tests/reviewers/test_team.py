"""Discussions as AutoGen teams and agents: run, streamed, nested, saved, dumped, cancelled."""

from __future__ import annotations

import asyncio
import json

import pytest
from autogen_agentchat.base import ChatAgent, TaskResult, Team
from autogen_agentchat.messages import StructuredMessage, TextMessage
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_core import CancellationToken

from peerjudge.clients import Governed, RetryPolicy
from peerjudge.clients.fake import FakeChatClient, FakePrompt
from peerjudge.data import (
    Answer,
    Card,
    Comparison,
    Question,
    Sampling,
    StopReason,
    Verdict,
    replace,
    to_json,
    to_plain,
)
from peerjudge.errors import CardError, DataError, ProtocolError, ShelfError
from peerjudge.reviewers import (
    ComparisonTask,
    DiscussionAgent,
    DiscussionTeam,
    ModelReviewer,
    ReviewerAgent,
)

COMPARISON = Comparison(
    id="c",
    question=Question(id="q", text="Which is bigger?"),
    answers=(Answer(id="a", text="the sun"), Answer(id="b", text="the moon")),
)
TASK = to_json(COMPARISON)
SENT = TextMessage(content=TASK, source="user")


def team(
    one: FakeChatClient | None = None, two: FakeChatClient | None = None, **settings: object
) -> DiscussionTeam:
    """Return a discussion of two reviewer agents, three turns after the private reviews."""
    return DiscussionTeam(
        [
            ReviewerAgent("alice", one or FakeChatClient(default="I say\n1")),
            ReviewerAgent("bob", two or FakeChatClient(default="I say\n1")),
        ],
        options={"turns": 3},
        **settings,  # type: ignore[arg-type]
    )


async def test_a_team_discusses_and_ends_with_its_verdict():
    """Each turn is a message of its reviewer; the last message is the team's verdict."""
    result = await team(name="panel").run(task=TASK)
    sources = [message.source for message in result.messages]
    assert sources == ["user", "alice", "bob", "alice", "bob", "alice", "panel"]
    turns = result.messages[1:-1]
    assert [turn.metadata["peerjudge.turn"] for turn in turns] == list("01234")
    assert [turn.metadata["peerjudge.private"] for turn in turns] == ["true"] * 2 + ["false"] * 3
    assert {turn.metadata["peerjudge.verdict"] for turn in turns} == {"a"}
    verdict = result.messages[-1]
    assert isinstance(verdict, TextMessage)
    assert verdict.content == "Answer (a) is the better one."
    assert verdict.metadata["peerjudge.verdict"] == "a"
    assert verdict.metadata["peerjudge.answer"] == "1"
    assert result.stop_reason == "The discussion is complete (leader_follower)."


@pytest.mark.parametrize(
    "task",
    [
        COMPARISON,
        [COMPARISON],
        ["Please judge this.", COMPARISON],
        TASK,
        SENT,
        [TextMessage(content="Please judge this.", source="user"), SENT],
        [SENT, TextMessage(content="Thank you.", source="user")],
        StructuredMessage[ComparisonTask](content=ComparisonTask(COMPARISON), source="user"),
        json.dumps(to_plain(COMPARISON)),
    ],
)
async def test_a_comparison_is_understood_in_every_form(task: object):
    """A comparison, JSON with and without its envelope, a structured message, among other messages."""
    discussion = team()
    await discussion.run(task=task)  # type: ignore[arg-type]
    assert discussion.transcript is not None
    assert discussion.transcript.comparison == COMPARISON


async def test_texts_alone_make_a_comparison():
    """Plain texts of question and answers are enough, with half a character too; the answers are numbered."""
    discussion = team()
    await discussion.run(task='{"question": "Which \\ud83d?", "answers": ["sun", "moon"]}')
    assert discussion.transcript is not None
    comparison = discussion.transcript.comparison
    assert comparison.question.text == "Which \N{REPLACEMENT CHARACTER}?"
    assert [answer.text for answer in comparison.answers] == ["sun", "moon"]
    assert discussion.transcript.verdict == Verdict.of("1")


@pytest.mark.parametrize(
    ("task", "fragment"),
    [
        (None, r"has no discussion to continue: give run\(task=comparison\)"),
        ([], "has no discussion to continue"),
        ("Which is better?", "holds no comparison: give a Comparison"),
        ("", "holds no comparison"),
        ([COMPARISON, COMPARISON.swapped()], "2 comparisons: run the discussion once for each"),
        (to_plain(COMPARISON), "cannot hold an object of type 'dict'"),
        ([COMPARISON, 1], "cannot hold an object of type 'int'"),
        ("{nonsense", "starts like JSON but is none"),
        ("{}", "no question and no answers: give a Comparison"),
        ('{"question": "Which?"}', "no answers: give a Comparison"),
        ('{"question": "Which?", "answers": "ab"}', "neither a full comparison"),
        ('{"question": "Which?", "answers": [1]}', "just texts"),
        ('{"question": {"id": "q"}}', "Comparison"),
        ('{"schema": "Turn/1", "data": {}}', "Comparison/1"),
        ('{"question": "Which?", "answers": []}', "has 0 answers"),
    ],
)
async def test_a_task_without_a_comparison_says_how_to_give_one(task: object, fragment: str):
    """The message shows the expected form, and no call is made."""
    fake = FakeChatClient(default="1")
    with pytest.raises(DataError, match=fragment):
        await team(fake, fake).run(task=task)  # type: ignore[arg-type]
    assert fake.prompts == []


async def test_a_new_question_never_gets_the_old_verdict():
    """A question without answers is refused after a discussion as before it, and without a call."""
    fake = FakeChatClient(default="1")
    discussion = team(fake, fake)
    await discussion.run(task=COMPARISON)
    for task in ("Now: sponge or brownie?", [TextMessage(content="And this?", source="user")]):
        with pytest.raises(DataError, match="holds no comparison"):
            await discussion.run(task=task)
    saved = team(fake, fake)
    await saved.load_state(await discussion.save_state())
    with pytest.raises(DataError, match="holds no comparison"):
        await saved.run(task="Now: sponge or brownie?")
    assert len(fake.prompts) == 5
    again = await saved.run(task=COMPARISON)
    assert again.messages[-1].metadata["peerjudge.verdict"] == "a"
    assert len(fake.prompts) == 5


async def test_a_new_question_gets_a_discussion_of_its_own():
    """Equal ids do not make equal questions: a question with other words is discussed anew."""
    said = FakeChatClient({"bigger": "1", "smaller": "2"}, default="?")
    discussion = team(said, said)
    verdicts = [
        (await discussion.run(task=task)).messages[-1].metadata["peerjudge.verdict"]
        for task in (
            COMPARISON,
            replace(COMPARISON, question=Question(id="q", text="Which is smaller?")),
        )
    ]
    assert verdicts == ["a", "b"]
    assert len(said.prompts) == 10


async def test_turns_are_streamed_as_they_are_spoken():
    """A turn is visible before the next one is requested."""
    gate = asyncio.Event()
    fake = FakeChatClient(default="1", delay=gate.wait)
    stream = team(FakeChatClient(default="1"), fake).run_stream(task=TASK)
    seen = [await anext(stream), await anext(stream)]
    assert [getattr(item, "source", "") for item in seen] == ["user", "alice"]
    gate.set()
    rest = [item async for item in stream]
    assert isinstance(rest[-1], TaskResult)
    assert len(rest[-1].messages) == 7


async def test_a_team_can_be_a_participant_of_a_group_chat():
    """In a round robin it gives its verdict; without a new comparison it says so, without a call."""
    fake = FakeChatClient(default="1")
    outer = RoundRobinGroupChat(
        [team(fake, fake, name="panel"), ReviewerAgent("chair", FakeChatClient(default="noted"))],
        max_turns=3,
    )
    result = await outer.run(task=TASK)
    sources = [message.source for message in result.messages]
    assert sources == [
        "user",
        *["alice", "bob", "alice", "bob", "alice", "panel"],
        "chair",
        "panel",
    ]
    assert result.messages[-3].metadata["peerjudge.verdict"] == "a"
    assert "peerjudge.verdict" not in result.messages[-1].metadata
    assert "nothing to judge" in result.messages[-1].to_text()
    assert len(fake.prompts) == 5


async def test_a_chat_goes_on_after_json_of_another_kind():
    """What another agent says as JSON is no task; a new comparison of the user is judged."""
    chair = ReviewerAgent("chair", FakeChatClient(default='{"choice": 1}'))
    outer = RoundRobinGroupChat(
        [DiscussionAgent("judge", team()), chair], max_turns=3, name="outer"
    )
    first = await outer.run(task=TASK)
    assert "nothing to judge" in first.messages[-1].to_text()
    second = await outer.run(task=to_json(COMPARISON.swapped()))
    said = [each.to_text() for each in second.messages if each.source == "judge"]
    assert said[-1] == "Answer (a) is the better one."


async def test_a_group_chat_can_be_a_participant_of_a_team():
    """AutoGen's teams can take a seat."""
    inner = RoundRobinGroupChat(
        [
            ReviewerAgent("thinker", FakeChatClient(default="hm")),
            ReviewerAgent("decider", FakeChatClient(default="2")),
        ],
        name="pair",
        max_turns=2,
    )
    discussion = DiscussionTeam(
        [inner, ReviewerAgent("bob", FakeChatClient(default="1"))], options={"turns": 1}
    )
    result = await discussion.run(task=TASK)
    assert [message.metadata.get("peerjudge.verdict") for message in result.messages[1:4]] == [
        "b",
        "a",
        "b",
    ]


async def test_a_discussion_speaks_as_one_agent():
    """The agent's reply is the verdict, and it can chat with others."""
    fake = FakeChatClient(default="2")
    judge = DiscussionAgent("judge", team(fake, fake))
    response = await judge.on_messages([SENT], CancellationToken())
    assert (response.chat_message.source, response.chat_message.to_text()) == (
        "judge",
        "Answer (b) is the better one.",
    )
    assert len(response.inner_messages or []) == 5
    chair = ReviewerAgent("chair", FakeChatClient({"Answer (b)": "agreed"}, default="what?"))
    result = await RoundRobinGroupChat([judge, chair], max_turns=2).run(task=TASK)
    assert result.messages[-1].to_text() == "agreed"
    fresh = DiscussionAgent("judge", team(fake, fake))
    answered = await fresh.run(task=COMPARISON)
    assert answered.messages[-1].to_text() == "Answer (b) is the better one."
    streamed = [item async for item in fresh.run_stream(task=COMPARISON.swapped())]
    assert len(streamed) == 8
    assert isinstance(streamed[-1], TaskResult)


async def test_a_new_comparison_is_a_new_discussion_and_reset_forgets_the_old():
    """After a reset there is no discussion to continue."""
    discussion = team()
    await discussion.run(task=TASK)
    first = discussion.transcript
    await discussion.run(task=to_json(COMPARISON.swapped()))
    assert discussion.transcript is not None
    assert first is not None
    assert discussion.transcript.id != first.id
    await discussion.reset()
    with pytest.raises(DataError, match="no discussion to continue"):
        await discussion.run()


def failing(turn: int) -> FakeChatClient:
    """Return a client whose call of this number fails."""
    fake = FakeChatClient(lambda prompt: LookupError("gone") if len(fake.prompts) == turn else "1")
    return fake


async def test_a_failed_turn_is_reported_and_repeated():
    """The stop reason has the cause, and the next run continues at that turn."""
    fake = failing(2)
    discussion = team(fake)
    result = await discussion.run(task=TASK)
    assert result.stop_reason == "The discussion failed in turn 2: LookupError: gone"
    assert result.messages[-1].metadata["peerjudge.stop"] == "failed"
    assert result.messages[-1].metadata["peerjudge.outcome"] == "unreadable"
    again = await discussion.run()
    assert [message.metadata.get("peerjudge.turn") for message in again.messages] == [
        "2",
        "3",
        "4",
        None,
    ]
    assert again.stop_reason == "The discussion is complete (leader_follower)."


async def test_a_saved_discussion_continues_in_another_team():
    """State is JSON; a team with the same seats and protocol continues it."""
    broken = team(failing(2))
    await broken.run(task=TASK)
    state = json.loads(json.dumps(await broken.save_state()))
    fake = FakeChatClient(default="1")
    fresh = team(fake)
    await fresh.load_state(state)
    await fresh.run()
    assert fresh.transcript is not None
    assert fresh.transcript.stop is StopReason.COMPLETE
    assert len(fresh.transcript.turns) == 5
    assert len(fake.prompts) == 2
    with pytest.raises(DataError, match="belongs to"):
        await DiscussionTeam([ReviewerAgent("x", fake), ReviewerAgent("y", fake)]).load_state(state)
    with pytest.raises(DataError, match="prompts 'long_form'"):
        await team(fake, prompts="open_chat").load_state(state)
    with pytest.raises(DataError, match="not 'AssistantAgentState'"):
        await fresh.load_state({"type": "AssistantAgentState"})
    await fresh.load_state(await team().save_state())
    assert fresh.transcript is None


async def test_a_team_survives_dumping_and_loading():
    """A team loaded from its component form discusses as before."""
    discussion = team(name="panel", prompts="open_chat", description="Judges.")
    config = json.loads(discussion.dump_component().model_dump_json())
    loaded = Team.load_component(config)
    assert isinstance(loaded, DiscussionTeam)
    assert json.loads(loaded.dump_component().model_dump_json()) == config
    result = await loaded.run(task=TASK)
    assert result.messages[-1].metadata["peerjudge.verdict"] == "a"
    judge = DiscussionAgent("judge", discussion)
    twin = ChatAgent.load_component(json.loads(judge.dump_component().model_dump_json()))
    response = await twin.on_messages([SENT], CancellationToken())
    assert response.chat_message.metadata["peerjudge.answer"] == "1"


async def test_cards_keep_role_and_temperature_in_a_team():
    """A model reviewer has its role prompt and its sampling, also after loading."""
    fake = FakeChatClient(default="1")
    card = Card(name="calm", role="You are calm.", sampling=Sampling(temperature=0.1))
    warm = Card(name="warm", role="You are warm.", sampling=Sampling(temperature=0.9))
    discussion = DiscussionTeam(
        [ModelReviewer(card, fake), ModelReviewer(warm, fake)],
        protocol="self_discussion",
        options={"turns": 1},
    )
    await discussion.run(task=TASK)
    calls = [(p.sampling["temperature"], "You are calm." in p.text) for p in fake.prompts]
    assert calls == [(0.1, True), (0.9, False), (0.1, True)]
    loaded = Team.load_component(discussion.dump_component())
    assert (await loaded.run(task=TASK)).messages[-1].metadata["peerjudge.verdict"] == "a"


async def hang_at(turn: int) -> tuple[FakeChatClient, asyncio.Event]:
    """Return a client whose call of this number hangs, and the event that it hangs."""
    hanging = asyncio.Event()
    fake = FakeChatClient(default="1", delay=lambda: wait())

    async def wait() -> None:
        if len(fake.prompts) == turn:
            hanging.set()
            await asyncio.Event().wait()

    return fake, hanging


async def test_a_cancelled_discussion_stops_at_once_and_can_continue():
    """No further call is made, the turns are kept, and the next run continues."""
    fake, hanging = await hang_at(3)
    discussion = team(fake, fake)
    running = asyncio.create_task(discussion.run(task=TASK))
    await hanging.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert len(fake.prompts) == 3
    assert discussion.transcript is not None
    assert len(discussion.transcript.turns) == 2
    result = await discussion.run()
    assert len(result.messages) == 4


async def test_a_cancellation_token_stops_a_discussion():
    """AutoGen's token stops it as well."""
    fake, hanging = await hang_at(2)
    token = CancellationToken()
    running = asyncio.create_task(team(fake, fake).run(task=TASK, cancellation_token=token))
    await hanging.wait()
    token.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert len(fake.prompts) == 2


async def test_a_client_that_cancels_itself_fails_its_turn_only():
    """A CancelledError of the client is a failed turn."""
    fake = FakeChatClient(
        lambda prompt: asyncio.CancelledError() if len(fake.prompts) == 2 else "1"
    )
    discussion = team(Governed(fake, policy=RetryPolicy(attempts=1)))  # type: ignore[arg-type]
    result = await discussion.run(task=TASK)
    assert result.stop_reason is not None
    assert "ClientCancelledError" in result.stop_reason


async def test_a_paused_team_waits_between_turns():
    """A paused discussion makes no call after both private reviews; resumed, it ends as usual."""
    fake = FakeChatClient(default="1")
    discussion = team(fake, fake)
    await discussion.pause()
    running = asyncio.create_task(discussion.run(task=TASK))
    for _ in range(200):
        await asyncio.sleep(0)
    assert len(fake.prompts) == 2
    with pytest.raises(ValueError, match="discussing already"):
        await discussion.run(task=TASK)
    with pytest.raises(RuntimeError, match="stop it before"):
        await discussion.reset()
    with pytest.raises(RuntimeError, match="stop it before"):
        await discussion.load_state(await team().save_state())
    await discussion.resume()
    assert len((await running).messages) == 7


async def test_many_teams_may_discuss_at_once():
    """Teams share no state: each discusses its own comparison."""

    def answer(prompt: FakePrompt) -> str:
        return "1" if "the sun" in prompt.text.split("the moon")[0] else "2"

    shown = [COMPARISON, COMPARISON.swapped()] * 10
    results = await asyncio.gather(
        *(
            team(FakeChatClient(answer), FakeChatClient(answer)).run(task=to_json(each))
            for each in shown
        )
    )
    assert {result.messages[-1].metadata["peerjudge.verdict"] for result in results} == {"a"}


def test_invalid_teams_are_refused_when_they_are_made():
    """Names, seats, protocol, pack and options are checked before the first run."""
    fake = FakeChatClient()
    one, two = ReviewerAgent("one", fake), ReviewerAgent("two", fake)
    with pytest.raises(CardError, match="names of their own"):
        DiscussionTeam([one, one])
    with pytest.raises(CardError, match="names of their own"):
        DiscussionTeam([one, two], name="two")
    with pytest.raises(ProtocolError, match="seats"):
        DiscussionTeam([one])
    with pytest.raises(ShelfError, match="no_such"):
        DiscussionTeam([one, two], protocol="no_such")
    with pytest.raises(ShelfError, match="no_such"):
        DiscussionTeam([one, two], prompts="no_such")
    with pytest.raises(ProtocolError, match="turnz"):
        DiscussionTeam([one, two], options={"turnz": 1})
    with pytest.raises(CardError, match="cannot name"):
        DiscussionTeam([one, two], name="not a name")

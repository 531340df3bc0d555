"""The desk in the browser without a server: forms by cue, blinding, conflicts, and who is admitted."""

import asyncio
import html
import re
from contextlib import contextmanager

import pytest

pytest.importorskip("starlette", reason="needs starlette: pip install 'peerjudge[web]'")
import httpx

from peerjudge.data import Expects, Message, TaskSheet, TitledText, replace
from peerjudge.errors import StoreError
from peerjudge.features.people.desk_places import open_desk
from peerjudge.features.people.desk_records import list_people_answers
from peerjudge.features.people.forms import build_desk_app
from peerjudge.features.people.safety import DeskSignIn
from peerjudge.web import connections
from peerjudge.web.connections import MOST_BYTES
from tests.features.people.desk_kit import task as desk_task
from tests.web.conftest import HOSTILE

BASE = "http://localhost:8750"
OWN = {"origin": BASE, "sec-fetch-site": "same-origin"}
JSON = {**OWN, "accept": "application/json"}
SHEET = TaskSheet(
    place="# Discussion\nYou are reviewer 1.",
    question=f"Why? {HOSTILE}",
    answers=(
        TitledText(title="Answer (a)", text="So."),
        TitledText(title="Answer (b)", text="No."),
    ),
    heard=(
        TitledText(title="Reviewer 2 replied", text="Answer (b) is short.\nChoice: Answer (b)"),
    ),
    instruction="# Rules\n1. Be fair.\n\n# Task\nDecide.",
)


def task(name, **fields):
    """Return a request of a discussion."""
    words = (Message(role="user", text="Reply with the words of a model."),)
    return desk_task(name, **{"messages": words, "ties": False, "sheet": SHEET, **fields})


@contextmanager
def serve(folder, *tasks, cards=("ann", "bob"), base=BASE):
    """Open a desk with these tasks, its links by card, and a client that keeps cookies."""
    links = {}
    with open_desk(folder) as desk:
        for one in tasks:
            desk.post(one)
        sign_in = DeskSignIn(desk, cards, links.__setitem__)
        sign_in.renew()
        app = build_desk_app(desk, sign_in, hosts=["localhost:8750"], cookie="c")

        def connect(card=None):
            transport = httpx.ASGITransport(app=app, raise_app_exceptions=True)
            client = httpx.AsyncClient(transport=transport, base_url=base)
            if card is None:
                return client
            client.link = f"/open?key={links[card]}"
            return client

        yield desk, connect


def read_fields(page):
    """Return the hidden fields of the form of a page."""
    found = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page)
    return {name: html.unescape(value) for name, value in found}


async def test_a_person_answers_without_scripts_and_changes_the_answer(tmp_path):
    """Forms alone save an answer, lead to the next request, keep what is wrong, and supersede."""
    with serve(tmp_path, task("t1"), task("t2"), task("x", card="bob")) as (desk, connect):
        async with connect("ann") as client:
            opened = await client.get(client.link)
            assert (opened.status_code, opened.headers["location"]) == (303, "/desk")
            cookie = opened.headers["set-cookie"].lower()
            assert "httponly" in cookie
            assert "samesite=strict" in cookie
            page = (await client.get("/desk")).text
            assert "2 open requests" in page
            assert "Choice in a discussion, after 1 text" in page
            fields = read_fields((await client.get("/desk/t1")).text)
            bad = {**fields, "reason": "<b>First</b> & so on", "confidence": "70"}
            refused = await client.post("/desk/t1", data=bad, headers=OWN)
            assert refused.status_code == 422
            assert "choose one of the buttons" in refused.text
            assert "&lt;b&gt;First&lt;/b&gt; &amp; so on" in refused.text
            sent = await client.post("/desk/t1", data={**bad, "choice": "1"}, headers=OWN)
            assert (sent.status_code, sent.headers["location"]) == (303, "/desk/t2?saved=t1")
            answer = desk.find_answer("t1")
            assert answer.text == "<b>First</b> & so on\nChoice: Answer (a)"
            assert answer.confidence == 70
            assert 0 <= answer.seconds < 60
            assert "Your answer: <bdi>Answer (a)</bdi>" in (await client.get("/desk")).text
            again = (await client.get("/desk/t1")).text
            assert "a new one replaces it" in again
            changed = {**read_fields(again), "choice": "none", "reason": "", "confidence": ""}
            assert (await client.post("/desk/t1", data=changed, headers=OWN)).status_code == 303
            assert [one.choice for one in list_people_answers(tmp_path)] == ["1", "none"]
            assert desk.take_answer("t1").text == "I cannot judge these answers."
            late = await client.post(
                "/desk/t1", data={**changed, "version": "2", "choice": "2"}, headers=OWN
            )
            assert late.status_code == 409
            assert "The run has taken this answer up" in late.text
            assert "Replace the answer" not in late.text


async def test_a_task_tells_its_place_and_folds_what_was_read_before(tmp_path):
    """The page counts what is answered; rules of an answered task are folded, other ones are open."""
    same = replace(SHEET, instruction="# Rules\n1. Be fair.\n\n# Task\nRate.")
    sheets = {"t1": SHEET, "t2": same, "t3": SHEET}
    posted = [task(name, sheet=sheet) for name, sheet in sheets.items()]
    with serve(tmp_path, *posted) as (_, connect):
        async with connect("ann") as client:
            await client.get(client.link)
            first = (await client.get("/desk/t1")).text
            assert "<title>1 of 3 " in first
            assert "<details class" not in first, "nothing was read before"
            form = {**read_fields(first), "choice": "1", "reason": ""}
            assert (await client.post("/desk/t1", data=form, headers=OWN)).status_code == 303
            for name in ("t2", "t3"):
                assert ">2 of 3</span>" in (await client.get(f"/desk/{name}")).text
            assert ">1 of 3 answered</span>" in (await client.get("/desk/t1")).text
            folded = {
                name: re.findall(
                    r"<details class.*?<summary.*?>(.*?)<", (await client.get(f"/desk/{name}")).text
                )
                for name in sheets
            }
    assert folded == {"t1": [], "t2": ["Rules"], "t3": ["Rules", "Task"]}


@pytest.mark.parametrize(
    ("changes", "shown", "hidden"),
    [
        ({}, ["Answer (a)", "Answer (b)", "I cannot judge", "Confidence"], ["Tie", "(worst)"]),
        ({"ties": True}, ["Tie", 'data-key="b"', 'data-key="t"'], ['data-key="c"']),
        (
            {"expects": Expects.RATING, "scale": (10, 1)},
            ["10 (worst)", "1 (best)"],
            ['value="tie"', "data-key"],
        ),
        ({"expects": Expects.RATING, "scale": (0, 100)}, ['max="100"'], ['value="55"']),
        ({"expects": Expects.TEXT}, ["Your text"], ['type="radio"', "Confidence"]),
    ],
)
async def test_the_form_follows_the_cue(tmp_path, changes, shown, hidden):
    """A verdict, a rating and an explanation have the fields of their own, and no words for models."""
    with serve(tmp_path, task("t", **changes)) as (_, connect):
        async with connect("ann") as client:
            await client.get(client.link)
            page = html.unescape((await client.get("/desk/t")).text)
    form = page[page.index("<form") : page.index("</form>")]
    assert all(words in form for words in shown)
    assert not any(words in form for words in hidden)
    told, folded = page.split("<details>")
    assert "words of a model" not in told
    assert "words of a model" in folded
    assert "Reviewer 2 replied" in told


async def test_a_person_gets_their_own_requests_only(tmp_path):
    """Each link is of one person, works once, and opens no request to another one."""
    with serve(tmp_path, task("t"), task("x", card="bob")) as (_, connect):
        async with connect("ann") as ann, connect("bob") as bob, connect() as thief:
            assert (await thief.get("/desk/t")).status_code == 401
            await ann.get(ann.link)
            await bob.get(bob.link)
            assert (await thief.get(ann.link)).status_code == 401, "the link is used up"
            assert (await ann.get("/desk/x")).status_code == 404
            assert (await bob.get("/desk/x")).status_code == 200
            assert "to <bdi>ann</bdi>" in (await ann.get("/desk")).text
            fields = read_fields((await ann.get("/desk/t")).text)
            foreign = {**fields, "reason": "x"}
            assert (await bob.post("/desk/x/draft", data=foreign, headers=OWN)).status_code == 403
            assert (await ann.post("/desk/x/draft", data=foreign, headers=OWN)).status_code == 404


async def test_forms_of_other_sites_and_hosts_are_refused(tmp_path):
    """Host, origin, fetch site, token and size are checked before a form is read; GET saves nothing."""
    with serve(tmp_path, task("t")) as (desk, connect):
        async with connect("ann") as client:
            await client.get(client.link)
            page = await client.get("/desk/t")
            policy = page.headers["content-security-policy"]
            assert "default-src 'none'" in policy
            assert page.headers["referrer-policy"] == "same-origin"
            form = {**read_fields(page.text), "choice": "1", "reason": "", "confidence": ""}
            for headers in (
                {},
                {"origin": "null"},
                {"origin": "http://localhost:1"},
                {**OWN, "sec-fetch-site": "same-site"},
                {**OWN, "sec-fetch-site": "cross-site"},
            ):
                for path in ("/desk/t", "/desk/t/draft"):
                    refused = await client.post(path, data=form, headers=headers)
                    assert refused.status_code == 403, headers
            for host in ("evil.example:8750", "localhost", "localhost:8751"):
                assert (await client.get("/desk/t", headers={"host": host})).status_code == 421
            forged = {**form, "csrf": "0" * 64}
            assert (await client.post("/desk/t", data=forged, headers=OWN)).status_code == 403
            long = {**form, "reason": "x" * MOST_BYTES}
            assert (await client.post("/desk/t", data=long, headers=OWN)).status_code == 413
            assert (await client.put("/desk/t", data=form, headers=OWN)).status_code == 405
            assert (await client.get("/desk/t", params=form)).status_code == 200
        assert desk.find_entry("t").version == 0


async def test_scores_by_aspect_are_kept_and_one_that_is_not_given_is_none(tmp_path):
    """Each answer has a number for each aspect; what is left out has no score, and 11 is refused."""
    aspects = ("Core <b>information</b>", "Coherence")
    with serve(tmp_path, task("t", aspects=aspects)) as (desk, connect):
        async with connect("ann") as client:
            await client.get(client.link)
            page = (await client.get("/desk/t")).text
            assert page.count("Core &lt;b&gt;information") == 2
            form = {**read_fields(page), "choice": "1", "slider-1-1": "7", "slider-2-2": " "}
            draft = await client.post(
                "/desk/t/draft", data={**form, "slider-9-9-9": "1"}, headers=JSON
            )
            assert draft.json() == {"version": 1}
            assert desk.find_entry("t").draft.sliders == {"slider-1-1": "7"}
            assert (
                'name="slider-1-1" min="0" max="10" step="1" value="7"'
                in (await client.get("/desk/t")).text
            )
            form = {**form, "version": "1", "slider-2-1": "0"}
            for wrong in ("11", "-1", "5.5", "many"):
                refused = await client.post(
                    "/desk/t", data={**form, "slider-2-2": wrong}, headers=JSON
                )
                assert refused.status_code == 422
                assert "'Coherence' of Answer (b) with a whole number" in refused.json()["error"]
            assert (await client.post("/desk/t", data=form, headers=OWN)).status_code == 303
        scores = [(one.answer, one.aspect, one.score) for one in desk.find_answer("t").scores]
        assert scores == [(1, aspects[0], 7), (2, aspects[0], 0)]


async def test_a_desk_that_cannot_be_read_says_so_on_every_page(tmp_path, monkeypatch):
    """The list and the count of requests name the cause, as the forms do, also where the session is lost."""

    def fail(*_, **__):
        raise refusal

    refusal = StoreError("the desk is in use")
    with serve(tmp_path, task("t")) as (desk, connect):
        async with connect("ann") as client:
            await client.get(client.link)
            for name in ("list_tasks", "count_open", "find_task"):
                monkeypatch.setattr(desk, name, fail)
            for path in ("/desk", "/desk/state", "/desk/next", "/desk/t"):
                page = await client.get(path)
                assert (page.status_code, "the desk is in use" in page.text) == (503, True)
            monkeypatch.setattr(desk, "find_session", fail)
            for path in ("/desk", "/desk/t"):
                page = await client.get(path)
                assert (page.status_code, "Not saved" in page.text) == (503, True)
                assert "the desk is in use" in page.text


async def test_a_form_that_does_not_arrive_is_given_up(tmp_path, monkeypatch):
    """A form has the same limit of time as any other request, and a page says so."""
    monkeypatch.setattr(connections, "BODY_SECONDS", 0.05)

    async def drip():
        yield b"choice="
        await asyncio.Event().wait()

    with serve(tmp_path, task("t")) as (_, connect):
        async with connect("ann") as client:
            await client.get(client.link)
            late = await client.post("/desk/t", content=drip(), headers=OWN)
    assert (late.status_code, "did not arrive" in late.text) == (408, True)


async def test_two_tabs_lose_no_text(tmp_path):
    """The later of two drafts gets 409 with the other text, and an answer that was sent twice is one."""
    with serve(tmp_path, task("t")) as (_, connect):
        async with connect("ann") as client:
            await client.get(client.link)
            form = read_fields((await client.get("/desk/t")).text)

            async def draft(reason, version, **more):
                data = {**form, "reason": reason, "version": version, "active": "1.5", **more}
                return await client.post("/desk/t/draft", data=data, headers=JSON)

            assert (await draft("one\r\ntab", 0)).json() == {"version": 1}
            clash = await draft("two", 0)
            assert clash.status_code == 409
            assert clash.json()["draft"]["reason"] == "one\ntab"
            assert (await draft("two", 1)).json() == {"version": 2}
            assert (await draft("three", "-1")).status_code == 422
            sent = {**form, "choice": "2", "reason": "three", "active": "2"}
            clash = await client.post("/desk/t", data={**sent, "version": "1"}, headers=OWN)
            assert clash.status_code == 409
            assert "Another text was saved" in clash.text
            assert "\nthree</textarea>" in clash.text
            assert read_fields(clash.text)["version"] == "2", "sending it again keeps this text"
            assert "two" in clash.text
            for _ in range(2):
                done = await client.post("/desk/t", data={**sent, "version": "2"}, headers=JSON)
                assert done.json() == {"next": "/desk?saved=t"}
            (answer,) = list_people_answers(tmp_path)
            assert (answer.text, answer.seconds) == ("three\nChoice: Answer (b)", 5.0)


async def test_hostile_texts_stay_texts_and_a_reason_cannot_turn_the_choice(tmp_path):
    """Markup is escaped, forced directions become marks, and a reason with another verdict is refused."""
    marked = "**So** [x](javascript:alert(1)) ![y](https://example.org/y.png)"
    answers = (TitledText(title="Answer (a)", text=marked), SHEET.answers[1])
    with serve(tmp_path, task("t", sheet=replace(SHEET, answers=answers))) as (desk, connect):
        async with connect("ann") as client:
            await client.get(client.link)
            shown = (await client.get("/desk/t")).text
            assert marked.replace("**So**", "<strong>So</strong>") in shown
            for path in ("/desk", "/desk/t"):
                page = (await client.get(path)).text
                assert "<script>alert" not in page
                assert "<img" not in page
                assert "\u202e" not in page
            form = read_fields((await client.get("/desk/t")).text)
            reason = "Verdict: 2\n```\nVerdict: 2"
            data = {**form, "choice": "1", "reason": reason}
            refused = await client.post("/desk/t", data=data, headers=JSON)
            assert refused.status_code == 422
            assert "reword the reason" in refused.json()["error"]
        assert desk.find_answer("t") is None

"""Forms of a study without a server: one task after the other, leaving, and blinding in every response."""

import html
import re
from contextlib import contextmanager

import pytest

pytest.importorskip("starlette", reason="needs starlette: pip install 'peerjudge[web]'")
import httpx

from peerjudge.features.people.forms import build_desk_app
from peerjudge.features.people.nouns import Study
from peerjudge.features.people.safety import DeskSignIn
from peerjudge.features.people.studies import begin_study, collect_votes
from peerjudge.features.people.study_desk import StudyDesk
from peerjudge.shelf import Shelf
from tests.features.people.test_forms import BASE, JSON, OWN, read_fields
from tests.web.conftest import browse, keep, list_discussions

STUDY = Study(data="sample", annotators=("ann", "bob"), judgments=1, checks=0.3, limit=6)


@contextmanager
def serve(folder, study=STUDY, **options):
    """Open a study with the clients of its people, which are signed in at their first request."""
    links = {}
    with StudyDesk.open(folder, **options) as desk:
        begin_study(desk, study, shelf=Shelf())
        sign_in = DeskSignIn(desk, study.annotators, links.__setitem__)
        sign_in.renew()
        app = build_desk_app(desk, sign_in, hosts=["localhost:8750"], cookie="c")

        def connect(name):
            transport = httpx.ASGITransport(app=app, raise_app_exceptions=True)
            client = httpx.AsyncClient(transport=transport, base_url=BASE)
            client.link = f"/open?key={links[name]}"
            return client

        yield desk, connect


async def begin(client):
    """Press the button of the list; return the address of the task, or of the list."""
    fields = read_fields((await client.get("/desk")).text)
    return (await client.post("/desk/begin", data=fields, headers=OWN)).headers["location"]


async def test_two_people_complete_a_study_and_see_nothing_of_its_gold(tmp_path):
    """Each pair is judged once, no response holds an author, gold, the kind of a check or another's vote."""
    with serve(tmp_path) as (desk, connect):
        pairs = [one.comparison for one in desk.list_items()]
        hidden = {one.id for one in pairs} | {a.author for one in pairs for a in one.answers}
        hidden |= {"gold", "reversed", "secret of the other"}
        async with connect("ann") as ann, connect("bob") as bob:
            seen = []
            for client in (ann, bob):
                await client.get(client.link)
            places = {ann: await begin(ann), bob: await begin(bob)}
            while set(places.values()) != {"/desk"}:
                for client, place in places.items():
                    if place == "/desk":
                        places[client] = await begin(client)
                        continue
                    page = (await client.get(place)).text
                    seen.append(html.unescape(page))
                    sent = {**read_fields(page), "choice": "1", "reason": "", "confidence": ""}
                    if client is bob:
                        sent["reason"] = "secret of the other"
                    reply = await client.post(place, data=sent, headers=OWN)
                    assert reply.status_code == 303
                    places[client] = reply.headers["location"].partition("?")[0]
            listed = (await ann.get("/desk")).text
            assert "Nothing is left for you" in listed
            seen.append(listed)
        assert not [word for word in hidden for page in seen if word and word in page]
        votes = collect_votes(desk)
        assert sorted(one.comparison for one in votes.reviews) == sorted(one.id for one in pairs)
        assert len([one for one in desk.list_claims() if one.check]) >= 1
        assert set(votes.humans) == {"ann", "bob"}


@pytest.mark.parametrize(
    ("checks", "places"),
    [(0.0, [f"{n} of 6" for n in range(1, 7)]), (0.3, [f"{n} of about 9" for n in range(1, 10)])],
)
async def test_the_place_of_a_task_does_not_tell_which_ones_are_checks(tmp_path, checks, places):
    """How many there are does not change after a check, as its number is only expected.

    The list has one less after each answer, to a check as well.
    """
    study = Study(data="sample", annotators=("ann",), judgments=1, checks=checks, limit=6)
    with serve(tmp_path, study) as (desk, connect):
        async with connect("ann") as client:
            await client.get(client.link)
            place, seen, left = await begin(client), [], []
            while not place.startswith("/desk?") and place != "/desk":
                listed = (await client.get("/desk")).text
                left.append(re.search(r"<h1>(.*?) left ", listed)[1])
                state = (await client.get("/desk/state")).json()
                assert left[-1].removeprefix("about ") == str(state["open"])
                page = (await client.get(place)).text
                seen.append(re.search(r"<title>(.*?) ·", page)[1])
                sent = {**read_fields(page), "choice": "1", "reason": "", "confidence": ""}
                given = await client.post(place.partition("?")[0], data=sent, headers=OWN)
                place = given.headers["location"]
        checked = sum(one.check is not None for one in desk.list_claims())
    assert (checked > 0) == (checks > 0)
    assert seen == places[: len(seen)]
    assert len(seen) == 6 + checked
    word, most = ("about ", 9) if checks else ("", 6)
    assert left == [f"{word}{max(most - answered, 1)}" for answered in range(len(left))]


async def test_a_person_finds_their_choices_and_changes_one(tmp_path):
    """The list names what was chosen; the form behind it replaces the answer."""
    study = Study(data="sample", annotators=("ann",), judgments=1, checks=0.0, limit=2)
    with serve(tmp_path, study) as (desk, connect):
        async with connect("ann") as client:
            await client.get(client.link)
            place = await begin(client)
            for choice, shown in (("1", "Answer (a)"), ("2", "Answer (b)")):
                page = (await client.get(place)).text
                sent = {**read_fields(page), "choice": choice, "reason": "", "confidence": ""}
                given = await client.post(place, data=sent, headers=OWN)
                assert given.status_code == 303
                listed = (await client.get("/desk")).text
                found = re.search(rf'href="{place}">.*?Your answer: <bdi>(.*?)</bdi>', listed)
                assert found[1] == shown
        assert desk.find_answer(place.rpartition("/")[2]).draft.choice == "2"


async def test_leaving_a_task_gives_it_to_another_person(tmp_path):
    """The button frees the claim without an answer; a page that lists does not claim."""
    with serve(tmp_path) as (desk, connect):
        async with connect("ann") as ann:
            await ann.get(ann.link)
            assert desk.list_claims() == []
            place = await begin(ann)
            page = (await ann.get(place)).text
            assert f'formaction="{place}/leave"' in page
            left = await ann.post(f"{place}/leave", data=read_fields(page), headers=OWN)
            assert left.headers["location"] not in (place, "/desk")
            assert not desk.list_claims()[0].live
            forged = await ann.post(f"{place}/leave", data={"csrf": "x"}, headers=OWN)
            assert forged.status_code == 403


async def test_an_answer_that_comes_too_late_says_so_and_keeps_the_draft(tmp_path):
    """After a lapsed claim and another's judgement the form names the reason, with and without script."""
    with serve(tmp_path, Study(data="sample", annotators=("ann", "bob"), limit=1), lapse=0.0) as (
        desk,
        connect,
    ):
        async with connect("ann") as ann, connect("bob") as bob:
            for client in (ann, bob):
                await client.get(client.link)
            late, other = await begin(ann), await begin(bob)
            mine = read_fields((await ann.get(late)).text) | {"choice": "1", "reason": "Mine."}
            theirs = read_fields((await bob.get(other)).text) | {"choice": "2"}
            assert (await bob.post(other, data=theirs, headers=OWN)).status_code == 303
            plain = await ann.post(late, data=mine, headers=OWN)
            assert plain.status_code == 409
            assert "Not needed any more" in plain.text
            scripted = await ann.post(late, data=mine, headers=JSON)
            assert scripted.status_code == 422
            assert "half an hour" in scripted.json()["error"]
        assert len(collect_votes(desk).reviews) == 1


async def test_the_viewer_shows_studies_beside_runs(tmp_path):
    """A folder of run folders and studies has both; the page of a study filters, and follows answers."""
    await keep(tmp_path / "all" / "run", list_discussions())
    with serve(tmp_path / "all" / "my votes") as (_, connect):
        async with (
            connect("ann") as ann,
            browse(tmp_path / "all", tmp_path / "cache") as viewer,
        ):
            assert "/studies" in (await viewer.get("/?all")).text
            assert "0 of 6 comparisons complete" in (await viewer.get("/studies?all")).text
            before = (await viewer.get("/studies/my-votes/version")).text
            await ann.get(ann.link)
            place = await begin(ann)
            sent = {**read_fields((await ann.get(place)).text), "choice": "1"}
            await ann.post(place, data=sent, headers=OWN)
            assert (await viewer.get("/studies/my-votes/version")).text != before
            listed = (await viewer.get("/studies/my-votes")).text
            assert "30 % of the tasks are attention checks" in listed
            assert f"peerjudge annotate '{tmp_path / 'all' / 'my votes'}'" in html.unescape(listed)
            run = re.findall(r'option value="(\w{12})"', listed)[0]
            page = html.unescape((await viewer.get(f"/studies/my-votes?failed=0.2&run={run}")).text)
            assert "1 of 6 judgements" in page
            assert "has no manifest.json" in page, "the run of this test has a store only"
            assert (await viewer.get("/studies/none")).status_code == 404


async def test_a_viewer_of_a_study_alone_opens_it(tmp_path):
    """Without runs the start page is the study."""
    with serve(tmp_path / "votes"):
        async with browse(tmp_path / "votes", tmp_path / "cache") as viewer:
            found = await viewer.get("/", follow_redirects=True)
            assert found.status_code == 200
            assert "Progress by person" in found.text

"""Pages of the viewer: what they show, what they refuse, and that they change nothing."""

import hashlib
import json
import re
from html.parser import HTMLParser

from peerjudge.data import Utterance, replace
from peerjudge.engine import discuss, identify
from peerjudge.features.people.desk_places import open_desk
from peerjudge.features.view.links import read_address
from peerjudge.features.view.prompts import rebuild_prompt
from peerjudge.prompts import pack_identity
from peerjudge.reporting.layout import Column, build_table
from peerjudge.runs.manifest import write_manifest
from peerjudge.shelf import Shelf
from peerjudge.store import Store
from peerjudge.testing import comparison_of, seats_of, transcript_of
from peerjudge.web.pages import MOST_STACKED, stacks_on_phones, write_sentence
from tests.features.people.desk_kit import task
from tests.web.conftest import HOSTILE, RUN, browse, keep, list_discussions, tell

KEY = RUN[:12]


class Elements(HTMLParser):
    """Names of all elements and attributes of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.links: set[str] = set()

    def handle_starttag(self, tag, attrs):
        """Note an element."""
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}
        self.links |= {value for name, value in attrs if name in {"href", "src", "action"}}


def parse(page: str) -> Elements:
    """Return the elements of a page."""
    found = Elements()
    found.feed(page)
    return found


def list_addresses(discussion: str) -> list[str]:
    """Return an address of every kind."""
    return [
        "/?all",
        f"/r/{KEY}",
        f"/r/{KEY}/live",
        f"/r/{KEY}/d",
        f"/r/{KEY}/d?q=token1&event=altered&sort=turns",
        f"/r/{KEY}/d/{discussion}",
        f"/r/{KEY}/d/{discussion}/t/0",
    ]


async def test_every_page_of_a_run_answers_and_loads_from_the_viewer_alone(tmp_path):
    """Pages answer 200 and refer to no other host, and to no address that does not exist."""
    told = list_discussions()
    await keep(tmp_path / "run", told)
    async with browse(tmp_path / "run", tmp_path / "cache") as client:
        links: set[str] = set()
        for address in list_addresses(told[0].id):
            answer = await client.get(address)
            assert answer.status_code == 200, address
            links |= parse(answer.text).links
        assert all(link.startswith(("/", "#")) and not link.startswith("//") for link in links)
        for link in links - {one for one in links if one.startswith(("#", "/compare"))}:
            assert (await client.get(link)).status_code == 200, link


async def test_hostile_texts_add_no_element(tmp_path):
    """Markup in questions, replies, names and conditions is text on every page."""
    plain = tell("2|1 1 1", 1, condition="talk")
    bad = comparison_of(3, gold=1, name="c1")
    bad = replace(
        bad,
        subset=HOSTILE,
        question=replace(bad.question, text=HOSTILE),
        answers=tuple(replace(one, text=HOSTILE, author=HOSTILE) for one in bad.answers),
    )
    seats = tuple(replace(seat, reviewer=HOSTILE[:40]) for seat in plain.seats)
    turns = tuple(
        replace(t, utterance=replace(t.utterance, text=HOSTILE, model=HOSTILE)) for t in plain.turns
    )
    hostile = replace(plain, comparison=bad, seats=seats, turns=turns, condition=HOSTILE[:50])
    hostile = replace(hostile, protocol=HOSTILE[:20])

    async def tags(place, told):
        await keep(place, [told], question=told.comparison.question.text)
        found = []
        async with browse(place, tmp_path / "cache") as client:
            for address in list_addresses(told.id):
                elements = parse((await client.get(address)).text)
                found.append((elements.tags, elements.attributes))
        return found

    quiet = replace(
        hostile,
        comparison=replace(
            bad,
            subset="s",
            question=replace(bad.question, text="q"),
            answers=tuple(replace(one, text="t", author="a") for one in bad.answers),
        ),
        seats=tuple(replace(seat, reviewer="r") for seat in seats),
        turns=tuple(replace(t, utterance=replace(t.utterance, text="u", model="m")) for t in turns),
        condition="c",
        protocol="p",
    )
    clean = lambda one: replace(one, id="x")  # noqa: E731
    assert await tags(tmp_path / "one", clean(hostile)) == await tags(
        tmp_path / "two", clean(quiet)
    )


async def test_viewing_changes_no_byte_of_a_store(tmp_path):
    """The database of a run is the same file after every page was read."""
    place = tmp_path / "run"
    await keep(place, list_discussions())

    def digest() -> str:
        return hashlib.sha256((place / "store.db").read_bytes()).hexdigest()

    before = digest()
    async with browse(place, tmp_path / "cache") as client:
        for address in list_addresses(list_discussions()[0].id):
            await client.get(address)
    assert digest() == before


async def test_only_the_reader_with_the_link_is_let_in_and_only_once(tmp_path):
    """Pages need the cookie of a link that works once; the next link is another one."""
    await keep(tmp_path / "run", list_discussions())
    async with browse(tmp_path / "run", tmp_path / "cache") as client:
        first, second = client.keys
        assert first != second
        session = client.cookies["c"]
        client.cookies.clear()
        assert (await client.get("/?all")).status_code == 401
        assert (await client.get(f"/open?key={first}")).status_code == 401
        assert (await client.get("/open?key=")).status_code == 401
        assert (await client.get("/?all", headers={"cookie": "c=guess"})).status_code == 401
        for path in ("/%5cevil.com", "/%09/evil.com", "/%0a/evil.com", "//evil.com", "/runs/x"):
            refused = await client.get(f"http://localhost{path}")
            links = re.findall(r"<a [^>]*href=\"([^\"]*)\"[^>]*>continue", refused.text)
            assert links == ["/"], "the page of a stranger's link leads to no other site"
        assert (await client.get("/?all", headers={"cookie": f"c={session}"})).status_code == 200
        cookie = (await client.get(f"/open?key={second}")).headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie


async def test_other_hosts_and_writing_methods_are_refused(tmp_path):
    """A name that resolves here (DNS rebinding) and every method that writes get no page."""
    await keep(tmp_path / "run", list_discussions())
    async with browse(tmp_path / "run", tmp_path / "cache") as client:
        for host in ("evil.example", "localhost.evil.example", "", "127.0.0.1.nip.io:80"):
            assert (await client.get("/", headers={"host": host})).status_code == 421
        for host in ("localhost:9999", "127.0.0.1", "[::1]:80"):
            assert (await client.get("/?all", headers={"host": host})).status_code == 200
        for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS"):
            assert (await client.request(method, "/")).status_code == 405
        policy = (await client.get("/?all")).headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy


async def test_addresses_of_nothing_answer_not_found(tmp_path):
    """Unknown runs, discussions, turns and files are pages of their own, not errors."""
    told = list_discussions()
    await keep(tmp_path / "run", told)
    async with browse(tmp_path / "run", tmp_path / "cache") as client:
        for address in (
            "/r/none",
            f"/r/{KEY}/d/none",
            f"/r/{KEY}/d/{told[0].id}/t/99",
            "/static/..%2fapp.py",
            "/static/app.py",
            "/nothing",
        ):
            assert (await client.get(address)).status_code == 404, address


async def test_the_address_of_a_list_keeps_filters_order_and_place(tmp_path):
    """A link to a filtered page, sent to a colleague, names the same page."""
    query = {"condition": "a b", "event": "held", "q": '"x y" z', "turns_min": "3", "sort": "cost"}
    address = read_address(query)
    text = address.query(after=(-5, 7, 1), back=True)
    pairs = dict(re.findall(r"[?&]([a-z_]+)=([^&]*)", text))
    again = read_address({**query, "after": pairs["after"], "back": pairs["back"]})
    assert (again.chosen, again.sort, again.after, again.back) == (
        address.chosen,
        "cost",
        (-5, 7, 1),
        True,
    )
    wild = {"turns_min": "nan", "cost_min": "1e999", "after": "1_2", "sort": "drop", "page": "-1"}
    assert read_address(wild).query() == ""


async def test_a_changed_part_is_sent_only_if_it_changed(tmp_path):
    """An open page asks with its version: an unchanged run answers without content."""
    told = list_discussions()
    await keep(tmp_path / "run", told)
    async with browse(tmp_path / "run", tmp_path / "cache") as client:
        page = (await client.get(f"/r/{KEY}/live")).text
        version = re.search(r'data-version="([^"]+)"', page)[1]
        assert (await client.get(f"/r/{KEY}/live?version={version}")).status_code == 204
        assert (await client.get(f"/r/{KEY}/live?version=old")).status_code == 200
        assert (await client.get(f"/r/{KEY}/new?state=open")).text == "1"
        assert (await client.get(f"/r/{KEY}/d/{told[5].id}/version")).text == "3-open"


async def test_differences_name_the_comparisons_with_other_conclusions(tmp_path):
    """Two conditions differ on the comparisons on which they conclude differently."""
    one = [tell("1|1 1", n, condition="one") for n in (1, 2)]
    other = [tell("1|1 1", 1, condition="two"), tell("2|2 2", 2, condition="two")]
    await keep(tmp_path / "run", [*one, *other])
    async with browse(tmp_path / "run", tmp_path / "cache") as client:
        query = f"/compare?run={KEY}&side={KEY}:one&side={KEY}:two"
        page = (await client.get(query)).text
    assert "differ on 1 of 2 comparisons" in page
    assert "on 0 the second is nearer to gold, on 1 the first" in page


async def test_a_run_that_has_ended_shows_its_ways_to_judge(tmp_path):
    """The page of a run has the first table of `score`, once a process of its own has computed it."""
    await keep(tmp_path / "run", [tell("1|2 1 1", n, condition="one") for n in range(8)])
    (tmp_path / "run" / "manifest.json").write_text(json.dumps({"run": RUN}), "utf-8")
    async with browse(tmp_path / "run", tmp_path / "cache") as client:
        page = ""
        # Each answer waits a little, for the index and then for the numbers.
        while "ways" not in page or "data-pending" in page:
            page = (await client.get(f"/r/{KEY}")).text
        assert "Ways to judge: accuracy against gold in %" in page
        assert "intervals have their" in page
        open_one = [tell("1|2", 1, condition="one", stop=None)]
        await keep(tmp_path / "open", open_one)
    async with browse(tmp_path / "open", tmp_path / "cache") as client:
        assert "Ways to judge" not in (await client.get(f"/r/{KEY}")).text


class Listening:
    """Reviewer that keeps the prompts that it was sent."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.sent = []

    async def speak(self, request):
        """Keep the prompt, and choose the first answer."""
        self.sent.append(request.messages)
        return Utterance(text="Both are close.\nChoice: Answer (a)")

    async def close(self):
        """Do nothing."""


async def play() -> tuple[Listening, object]:
    """Return a discussion of the shelf's protocol and pack, and the prompts that were sent."""
    shelf = Shelf()
    pack = shelf.prompts("instruction_following")
    protocol = shelf.protocol("leader_follower", {})
    seats = tuple(replace(seat, reviewer="r") for seat in seats_of(2))
    told = transcript_of("1|1", comparison=comparison_of(2), seats=seats)
    head = replace(
        told, turns=(), stop=None, protocol="leader_follower", prompts=pack.name,
        options=protocol.settings(),
    )  # fmt: skip
    head = replace(head, id=identify(head, prompts=pack_identity(pack), seed=3))
    reviewer = Listening("r")
    done = await discuss(
        head,
        protocol=protocol,
        reviewers={seat.id: reviewer for seat in head.seats},
        pack=pack,
        roles={seat.id: "You are careful." for seat in head.seats},
    )
    return reviewer, done


MANIFEST = {"experiment": {"seed": 3}, "cards": {"r": {"role": "You are careful."}}}


async def test_prompts_are_those_that_were_sent():
    """The prompt of every turn, rebuilt from the pack, is the one that the reviewer got."""
    reviewer, done = await play()
    assert len(done.turns) > 3
    rebuilt = [rebuild_prompt(done, turn, MANIFEST, Shelf()).messages for turn in done.turns]
    assert sorted(map(str, rebuilt)) == sorted(map(str, reviewer.sent))


async def test_prompts_of_a_changed_pack_are_not_shown(tmp_path):
    """A pack of the same name with other words is not what was sent, and the page says so."""
    _, done = await play()
    folder = tmp_path / "protocols" / "prompts"
    folder.mkdir(parents=True)
    source = Shelf().find("prompts", "instruction_following").path.read_text("utf-8")
    (folder / "instruction_following.toml").write_text(source + "\n# a comment\n", "utf-8")
    same = rebuild_prompt(done, done.turns[0], MANIFEST, Shelf(tmp_path))
    assert same.messages, "a comment changes no words"
    head, tasks, rest = source.partition("[tasks]")
    (folder / "instruction_following.toml").write_text(
        head + tasks + rest.replace("Compare", "Weigh").replace("compare", "weigh"), "utf-8"
    )
    found = rebuild_prompt(done, done.turns[0], MANIFEST, Shelf(tmp_path))
    assert not found.messages
    assert "has changed" in found.reason
    other = rebuild_prompt(done, done.turns[0], {**MANIFEST, "experiment": {"seed": 4}}, Shelf())
    assert not other.messages


async def test_long_texts_open_on_demand_and_stay_whole(tmp_path):
    """A long reply is on the page in two parts that make the whole."""
    words = " ".join(f"word{number}" for number in range(2000))
    told = tell("1|1 1", 1, text=words)
    await keep(tmp_path / "run", [told])
    async with browse(tmp_path / "run", tmp_path / "cache") as client:
        page = (await client.get(f"/r/{KEY}/d/{told.id}")).text
    parts = re.findall(r'<div class="said" dir="auto">([^<]*)</div>', page)
    assert words in "".join(parts)


async def test_a_run_that_waits_for_people_says_so(tmp_path):
    """The page of a run counts open requests by card, and lists discussions before their first turn."""
    told = [tell("1|1", 1), replace(tell("1|1", 2), turns=(), stop=None)]
    async with Store.open(tmp_path / "run") as store:
        await store.record_run(RUN, {"run": RUN, "experiment": {"name": "study"}})
        await store.enlist(RUN, told)
        await store.wait(told[1])
    with open_desk(tmp_path / "run") as desk:
        desk.post(task("t"))
    write_manifest(tmp_path / "run", {"run": RUN, "experiment": {"name": "study"}})
    async with browse(tmp_path / "run", tmp_path / "cache") as client:
        page = (await client.get(f"/r/{RUN[:12]}")).text
        assert "Open requests to people: <bdi>ann</bdi> 1." in page
        listed = (await client.get(f"/r/{RUN[:12]}/d")).text
        assert told[1].id in listed
        shown = await client.get(f"/r/{RUN[:12]}/d/{told[1].id}")
        assert shown.status_code == 200
        assert "has not ended yet" in shown.text


async def test_each_cell_of_a_table_that_becomes_a_list_names_its_column(tmp_path):
    """On a phone the headings are out of sight, and each value has its own before it."""
    await keep(tmp_path / "run", list_discussions())
    async with browse(tmp_path / "run", tmp_path / "cache") as client:
        page = (await client.get(f"/r/{KEY}")).text
    (table,) = re.findall(r'class="stack">(.*?)</table>', page, re.DOTALL)
    headings = re.findall(r'scope="col"[^>]*><bdi>([^<]+)<', table)
    rows = re.findall(r'<tr>(<th scope="row".*?)</tr>', table, re.DOTALL)
    assert rows
    for row in rows:
        assert re.findall(r'data-label="([^"]+)"', row) == headings[1:]


def test_wide_tables_become_lists_on_a_phone_unless_they_are_long():
    """Narrow tables stay, and lists of many rows would be many screens."""

    def table(columns, rows):
        heads = [Column(f"Heading {n}", "") for n in range(columns)]
        return build_table("Title", ["value"] * rows, *heads)

    assert stacks_on_phones(table(9, 3))
    assert not stacks_on_phones(table(2, 3))
    assert not stacks_on_phones(table(9, MOST_STACKED + 1))


def test_a_label_of_a_cell_has_the_group_of_its_column():
    """Two columns of the same heading are told apart."""
    columns = [Column(name, "", key=str(n)) for n, name in enumerate(("Who", "Value", "Value"))]
    made = build_table("Title", ["x"], *columns, groups=(("Before", 1), ("After", 1)))
    assert made.labels == ("Who", "Before: Value", "After: Value")
    made = build_table("Title", ["x"], *columns, groups=(("", 1), ("After", 1)))
    assert made.labels == ("Who", "Value", "After: Value")


def test_a_sentence_of_a_result_is_escaped_with_its_code_and_minus_signs():
    """Names in it cannot add elements; hyphens in words, dates and options stay."""
    text = "<b> `compare --by x`: -0.4 [-1, 2], sim-2, 2026-11-24"
    assert write_sentence(text) == (
        "&lt;b&gt; <code>compare --by x</code>: \u22120.4 [\u22121, 2], sim-2, 2026-11-24"
    )

"""The desk in a real browser: drafts, two tabs, a killed server, keys, no script, no violation of axe."""

import os
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from peerjudge.data import Expects, TaskSheet, TitledText, replace
from peerjudge.features.people.desk import Draft
from peerjudge.features.people.desk_places import open_desk
from tests.features.people.test_forms import task
from tests.web.browser import AXE, CHROMIUM, FLAGS, WIDTHS, api
from tests.web.conftest import HOSTILE

PEERJUDGE = str(Path(sys.executable).parent / "peerjudge")
FORMS = """# Cause
1. **One** `code`, [link](javascript:alert(1))
2. ![picture](https://example.org/x.png)

```python
print("x")
```

| left | right |
|------|------:|
| 1    | 2     |

"""
LONG = TaskSheet(
    role="Be strict.",
    question=f"Why? {HOSTILE} {'unbroken' * 60}",
    answers=tuple(TitledText(title=f"Answer ({x})", text=FORMS + f"{x} " * 400) for x in "ab"),
    place="# Discussion\nYou are reviewer 1.",
    heard=(
        TitledText(title="You replied", text="It is (a)."),
        TitledText(title="Reviewer 2 replied", text=HOSTILE),
    ),
    instruction="# Rules\n1. Be fair.\n\n# Task\nDecide.",
)


def find_port():
    """Return a port that is free now."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def start(folder, port):
    """Start the forms, and return the server with the address of its first link."""
    server = subprocess.Popen(
        [PEERJUDGE, "annotate", "run", "--browser", "--card", "ann", "--port", str(port)],
        cwd=folder,
        env={**os.environ},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    return server, server.stdout.readline().partition(": ")[2].strip()


@pytest.fixture(scope="module")
def chromium():
    """Return a browser."""
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with the run folder of the desk."""
    return tmp_path_factory.mktemp("desk")


@pytest.fixture(scope="module")
def desk(folder):
    """Return the desk of a run with requests of each kind, and one of its own for most tests."""
    with open_desk(folder / "run") as opened:
        opened.post(task("t1", sheet=LONG, ties=True, aspects=("Core information", "Coherence")))
        opened.post(task("t2", expects=Expects.RATING, scale=(1, 10)))
        opened.post(task("t3", expects=Expects.RATING, scale=(0, 100)))
        opened.post(task("t4", expects=Expects.TEXT))
        opened.post(task("t5"))
        opened.post(task("t6", expects=Expects.TEXT))
        yield opened


@contextmanager
def sign_in(chromium, link, **options):
    """Open a signed-in page with its faults."""
    context = chromium.new_context(**options)
    page = context.new_page()
    faults = []
    base = link.partition("/open")[0]
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda m: faults.append(m.text) if m.type == "error" else None)
    page.on("dialog", lambda dialog: faults.append(dialog.message))
    page.on("request", lambda r: None if r.url.startswith(base) else faults.append(r.url))
    page.goto(link)
    yield page, base, faults
    context.close()


class Served:
    """One server of the forms, which is started again at the same port."""

    def __init__(self, folder, chromium):
        self.port, self._folder, self._chromium = find_port(), folder, chromium
        self.server, self._link = start(folder, self.port)

    @contextmanager
    def __call__(self, **options):
        """Open a signed-in page, its base address, and its faults."""
        link = self._link
        with sign_in(self._chromium, link, **options) as opened:
            self._link = self.server.stdout.readline().partition(": ")[2].strip()
            yield opened

    def kill(self):
        """Kill the server."""
        self.server.send_signal(signal.SIGKILL)
        self.server.communicate(timeout=20)

    def restart(self):
        """Start it again."""
        self.server, self._link = start(self._folder, self.port)


@pytest.fixture(scope="module")
def served(folder, desk, chromium):
    """Return a server of the forms."""
    opened = Served(folder, chromium)
    yield opened
    opened.server.terminate()
    opened.server.communicate(timeout=20)


def wait_for(page, text):
    """Wait until the form reports a state."""
    page.locator("#state", has_text=text).wait_for(timeout=10_000)


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_every_screen_of_the_desk_is_accessible_and_fits(served, desk, scheme):
    """Axe finds no violation in light and dark; nothing scrolls sideways; hostile texts do nothing."""
    desk.save_draft("t3", Draft(choice="70"), version=0)
    with served(color_scheme=scheme, bypass_csp=True) as (page, base, faults):
        for path in (
            "/desk",
            "/desk/t1",
            "/desk/t2",
            "/desk/t3?saved=t1",
            "/desk/t4",
            "/desk/x",
        ):
            page.goto(base + path)
            for width in WIDTHS:
                page.set_viewport_size({"width": width, "height": 900})
                assert page.evaluate("document.documentElement.scrollWidth") <= width, path
            page.evaluate(AXE)
            found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
            assert [one["id"] for one in found["violations"]] == [], path
        assert [one for one in faults if "404" not in one] == []


@pytest.mark.slow
def test_a_person_writes_by_keys_and_a_second_tab_loses_nothing(served, desk):
    """Drafts come back after a reload, the later tab is shown both texts, Ctrl+Enter saves the answer."""
    with served() as (page, base, faults):
        page.goto(f"{base}/desk/t1")
        page.get_by_role("radio", name="Answer (b)").focus()
        page.keyboard.press("Space")
        page.get_by_label("Reason").fill("The first words.")
        wait_for(page, "Draft saved.")
        second = page.context.new_page()
        second.goto(f"{base}/desk/t1")
        assert second.get_by_label("Reason").input_value() == "The first words."
        assert second.get_by_role("radio", name="Answer (b)").is_checked()
        page.get_by_label("Reason").fill("Words of the first tab.")
        wait_for(page, "Draft saved.")
        second.get_by_label("Reason").fill("Words of the second tab.")
        second.get_by_role("button", name="Keep mine").wait_for()
        assert "Words of the first tab." in second.locator("#other").inner_text()
        assert second.get_by_label("Reason").input_value() == "Words of the second tab."
        second.get_by_role("button", name="Keep mine").click()
        wait_for(second, "Draft saved.")
        assert desk.find_entry("t1").draft.reason == "Words of the second tab."
        page.get_by_label("Confidence").fill("70")
        page.get_by_role("button", name="Use the other text").click()
        assert page.get_by_label("Reason").input_value() == "Words of the second tab."
        page.get_by_label("Confidence").fill("70")
        page.get_by_label("Reason").press("Control+Enter")
        page.wait_for_url("**/desk/t2?saved=t1")
        answer = desk.find_answer("t1")
        assert (answer.text, answer.confidence) == (
            "Words of the second tab.\nChoice: Answer (b)",
            70,
        )
        assert 0 < answer.seconds < 60
        assert page.evaluate("localStorage.length") == 0
        assert [one for one in faults if "409" not in one] == []


def is_in_sight(page, locator):
    """Return whether an element is wholly within the window."""
    box = locator.bounding_box()
    return box["y"] >= 0 and box["y"] + box["height"] <= page.viewport_size["height"]


@pytest.mark.parametrize("width", [pytest.param(WIDTHS[0], marks=pytest.mark.slow), WIDTHS[1]])
def test_the_choice_is_in_sight_beside_an_answer_of_any_length(served, desk, width):
    """At the top of a page with long answers a person can choose and save; a key opens the whole text."""
    long = "Some words to read. " * 1500
    answers = tuple(TitledText(title=f"Answer ({x})", text=long) for x in "ab")
    desk.post(task(f"w{width}", sheet=replace(LONG, answers=answers), ties=True))
    with served(viewport={"width": width, "height": 844}) as (page, base, faults):
        page.goto(f"{base}/desk/w{width}")
        answer = page.get_by_role("region", name="Answer (a)").locator(".said")
        assert answer.bounding_box()["height"] < 500
        for name in ("Answer (a)", "Answer (b)", "Tie", "I cannot judge"):
            assert is_in_sight(page, page.get_by_role("radio", name=name))
        assert is_in_sight(page, page.get_by_role("button", name="Save the answer"))
        more = page.get_by_role("button", name="Show all 6,000 words").first
        more.press("Enter")
        assert answer.bounding_box()["height"] > 3000
        assert is_in_sight(page, page.get_by_role("radio", name="Answer (a)"))
        page.get_by_role("button", name="Show less").press("Enter")
        assert answer.bounding_box()["height"] < 500
        field = page.get_by_label("Reason")
        field.focus()
        bar = page.locator(".bar").bounding_box()
        shown = field.bounding_box()
        assert shown["y"] + shown["height"] <= bar["y"], "the bar hides no field with the focus"
        assert faults == []
    with served(java_script_enabled=False) as (page, base, _):
        page.goto(f"{base}/desk/w{width}")
        assert page.locator(".answer .said").first.bounding_box()["height"] > 3000


def test_letters_choose_where_no_text_is_typed(served, desk):
    """Each answer and the tie have the letter beside them; text fields, modifiers and the switch keep it."""
    answers = tuple(TitledText(title=f"Answer ({x})", text=x) for x in "abc")
    desk.post(task("k1", sheet=replace(LONG, answers=answers), answers=3, ties=True))
    with served() as (page, base, faults):
        page.goto(f"{base}/desk/k1")
        assert page.locator(".choice kbd:visible").all_inner_texts() == ["a", "b", "c", "t"]
        for key, name in {
            "b": "Answer (b)",
            "t": "Tie",
            "C": "Answer (c)",
            "a": "Answer (a)",
        }.items():
            page.keyboard.press(key)
            assert page.get_by_role("radio", name=name, exact=True).is_checked()
        wait_for(page, "Draft saved.")
        assert desk.find_entry("k1").draft.choice == "1"
        for field, typed in (("Reason", "both"), ("Confidence", "")):
            page.get_by_label(field).press_sequentially("both")
            assert page.get_by_label(field).input_value() == typed
        page.get_by_role("button", name="Save the answer").focus()
        page.keyboard.press("Control+b")
        page.keyboard.press("d")
        page.get_by_label("Use these keys").uncheck()
        page.keyboard.press("b")
        assert page.get_by_role("radio", name="Answer (a)").is_checked()
        assert page.locator(".choice kbd:visible").count() == 0
        page.get_by_label("Use these keys").check()
        page.keyboard.press("b")
        page.keyboard.press("Control+Enter")
        page.wait_for_url("**saved=k1")
        assert desk.find_answer("k1").draft.choice == "2"
        assert faults == []


def score(page, answer, aspect):
    """Return the number of an aspect of an answer, found as a screen reader names it."""
    group = page.get_by_role("group", name=answer, exact=True)
    return group.get_by_role("spinbutton", name=aspect)


def test_a_slider_that_is_not_moved_is_no_answer(served, desk):
    """Pointer and keys give a score, a click on the middle too; an untouched slider stays without one."""
    aspects = ("Core information", "Coherence")
    desk.post(task("s1", aspects=aspects))
    with served() as (page, base, faults):
        page.goto(f"{base}/desk/s1")
        number = score(page, "Answer (a)", "Core information")
        slider = page.locator(".range").first
        assert "unset" in slider.get_attribute("class")
        slider.click()
        assert number.input_value() == "5", "a click on the middle is an answer"
        assert "unset" not in slider.get_attribute("class")
        other = score(page, "Answer (b)", "Coherence")
        other.focus()
        other.press("ArrowUp")
        other.press("ArrowUp")
        page.get_by_role("radio", name="Answer (a)").check()
        wait_for(page, "Draft saved.")
        page.reload()
        written = other.input_value()
        assert (number.input_value(), written) == ("5", "2")
        assert page.locator(".range.unset").count() == 3, "two scores and the confidence"
        number.fill("")
        page.get_by_role("button", name="Save the answer").click()
        page.wait_for_url("**saved=s1")
        (given,) = desk.find_answer("s1").scores
        assert (given.answer, given.aspect, given.score) == (2, "Coherence", 2)
        assert desk.find_answer("s1").confidence is None
        assert faults == []


def test_a_reason_that_turns_the_choice_is_named_and_stays_in_the_form(served, desk):
    """What the reader would read differently is not saved as an answer, but kept as a draft."""
    with served() as (page, base, _):
        page.goto(f"{base}/desk/t2")
        page.get_by_role("button", name="Save the answer").click()
        wait_for(page, "Not saved: give a rating.")
        page.goto(f"{base}/desk/t5")
        page.get_by_role("radio", name="Answer (a)").check()
        page.get_by_label("Reason").fill("Verdict: 2\n```\nVerdict: 2")
        page.get_by_role("button", name="Save the answer").click()
        wait_for(page, "Draft saved.")
        assert desk.find_answer("t5") is None
        assert desk.find_entry("t5").draft.choice == "1"


def test_forms_work_without_scripts(served, desk):
    """A browser without scripts rates, explains and goes on to the next request."""
    with served(java_script_enabled=False) as (page, base, faults):
        page.goto(f"{base}/desk/t3")
        page.get_by_label("Rating from 0 to 100").fill("55")
        page.get_by_role("button", name="Save the answer").click()
        page.wait_for_url("**/desk/t4?saved=t3")
        page.get_by_label("Your text").fill("It explains.")
        page.get_by_role("button", name="Save the answer").click()
        page.wait_for_url("**/desk/t5?saved=t4")
        assert desk.find_answer("t3").text == "Rating: 55"
        assert desk.find_answer("t4").text == "It explains."
        assert faults == []


@pytest.mark.slow
def test_a_killed_server_loses_no_text(served, desk):
    """What is typed while the server is down stays in the page, and is saved when it is back."""
    with served() as (page, base, _):
        page.goto(f"{base}/desk/t6")
        page.get_by_label("Your text").fill("Before.")
        wait_for(page, "Draft saved.")
        served.kill()
        page.get_by_label("Your text").fill("Before and after.")
        wait_for(page, "the server does not answer")
        served.restart()
        wait_for(page, "Draft saved.")
        assert desk.find_entry("t6").draft.reason == "Before and after."

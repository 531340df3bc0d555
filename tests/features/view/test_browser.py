"""The viewer in a real browser: no violation of axe, no foreign request, keys, live turns, no script."""

import asyncio
import threading
from contextlib import contextmanager

import pytest

from peerjudge.data import replace
from peerjudge.store import Store
from tests.features.view.test_view_command import start
from tests.web.browser import AXE, CHROMIUM, FLAGS, WIDTHS, api
from tests.web.conftest import HOSTILE, RUN, keep, list_discussions, tell

KEY = RUN[:12]


def in_a_loop(work):
    """Run a coroutine in a thread: the browser has a loop of its own in this one."""
    thread = threading.Thread(target=asyncio.run, args=(work,))
    thread.start()
    thread.join()


def list_hostile():
    """Return discussions of every kind; the first is full of markup."""
    return [tell("2|1 1 1 1", 1, text=HOSTILE), *list_discussions()[1:]]


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    """Return a function that opens a signed-in page of one viewer, with its address and its faults."""
    folder = tmp_path_factory.mktemp("viewer")
    conditions = [{"name": "talk"}, {"name": "other"}]
    in_a_loop(keep(folder / "run", list_hostile(), question=HOSTILE, conditions=conditions))
    viewer, link = start(folder, "run")
    base = link.partition("/open")[0]
    with api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        first = chromium.new_context()
        first.new_page().goto(link)
        state = first.storage_state()

        @contextmanager
        def open_page(**options):
            context = chromium.new_context(storage_state=state, **options)
            page = context.new_page()
            faults = []
            page.on("pageerror", lambda error: faults.append(str(error)))
            page.on("console", lambda m: faults.append(m.text) if m.type == "error" else None)
            page.on("dialog", lambda dialog: faults.append(dialog.message))
            page.on("request", lambda r: None if r.url.startswith(base) else faults.append(r.url))
            yield page, base, faults
            context.close()

        open_page.folder = folder
        yield open_page
        chromium.close()
    viewer.terminate()
    viewer.communicate(timeout=20)


def addresses(discussion):
    """Return every screen."""
    return (
        "/?all",
        f"/r/{KEY}",
        f"/r/{KEY}/d?event=altered",
        f"/r/{KEY}/d?q=nothing-at-all",
        f"/r/{KEY}/d/{discussion}",
        f"/r/{KEY}/d/{discussion}/t/2",
        f"/compare?run={KEY}&side={KEY}:talk&side={KEY}:other",
        "/nothing",
    )


@pytest.mark.parametrize(
    ("scheme", "widths"),
    [("light", WIDTHS), pytest.param("dark", WIDTHS[::-1], marks=pytest.mark.slow)],
)
def test_every_screen_is_accessible_and_fits(browser, scheme, widths):
    """Axe finds no violation in light and dark; no screen scrolls sideways; hostile texts do nothing."""
    told = list_hostile()
    # The policy of the pages would keep axe out as well.
    options = {"color_scheme": scheme, "bypass_csp": True}
    with browser(**options) as (page, base, faults):
        for address in addresses(told[0].id):
            page.goto(base + address)
            for width in widths:
                page.set_viewport_size({"width": width, "height": 900})
                assert page.evaluate("document.documentElement.scrollWidth") <= width, address
            page.evaluate(AXE)
            found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
            assert [one["id"] for one in found["violations"]] == [], address
        assert [one for one in faults if "404" not in one] == []


def test_the_policy_of_the_pages_lets_their_own_script_and_style_work(browser):
    """Under the content security policy nothing is blocked, and a script in a text would be."""
    told = list_hostile()
    with browser() as (page, base, faults):
        page.goto(f"{base}/r/{KEY}/d/{told[0].id}")
        assert page.locator(".keys").is_visible(), "the script ran"
        assert (
            page.evaluate("getComputedStyle(document.querySelector('.mark')).borderRadius") == "4px"
        )
        assert faults == []


def test_a_run_is_read_by_keys_alone(browser):
    """Keys search, step through rows, open one, go to the next discussion and back to the list."""
    told = list_hostile()
    with browser() as (page, base, _):
        page.goto(f"{base}/r/{KEY}/d")
        page.keyboard.press("/")
        page.keyboard.type("token1")
        page.keyboard.press("Enter")
        page.wait_for_url("**q=token1**")
        page.goto(f"{base}/r/{KEY}/d")
        page.keyboard.press("j")
        page.keyboard.press("j")
        page.keyboard.press("Enter")
        page.wait_for_url(f"**/d/{told[1].id}")
        page.keyboard.press("]")
        page.wait_for_url(f"**/d/{told[2].id}")
        page.keyboard.press("l")
        page.wait_for_url(f"**/r/{KEY}/d")
        page.keyboard.press("?")
        page.locator("#keys-on").uncheck()
        page.keyboard.press("Escape")
        page.keyboard.press("j")
        assert page.evaluate("document.activeElement.className") != "item", "keys are off"


@pytest.mark.slow
def test_a_turn_appears_on_an_open_page(browser):
    """A turn that another process stores is on the page within two seconds, and the run counts it."""
    (whole,) = [one for one in list_hostile() if one.stop is None]
    known = len(whole.turns)

    async def go_on():
        async with Store.open(browser.folder / "run") as store:
            await store.turn(whole, replace(whole.turns[-1], index=known))

    with browser() as (page, base, _):
        page.goto(f"{base}/r/{KEY}/d/{whole.id}")
        assert page.locator(".turn").count() == known
        in_a_loop(go_on())
        page.wait_for_selector(f"#t{known}", timeout=10_000)
        assert page.locator(".turn").count() == known + 1


def test_pages_read_without_scripts(browser):
    """Filters, texts, and links work in a browser that runs no script."""
    with browser(java_script_enabled=False) as (page, base, faults):
        page.goto(f"{base}/r/{KEY}/d")
        page.get_by_label("Event").select_option("altered")
        page.get_by_role("button", name="Show").click()
        page.locator(".item").first.click()
        assert page.locator(".turn").count() > 2
        page.get_by_role("link", name="prompt").first.click()
        assert page.get_by_role("heading", name="Prompt as sent").is_visible()
        assert faults == []

"""The page of a run."""

import base64
import hashlib
import json
import os
import re
import shutil
import subprocess
from functools import partial
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest
from matplotlib import get_data_path

from peerjudge.data import Transcript, replace
from peerjudge.errors import StoreError
from peerjudge.results.page import build_findings_document
from tests.reporting.conftest import write_page

HOSTILE = (
    '</script><script>alert("x")</script><img src=x onerror=alert(1)>'
    '<!-- {{ 7*7 }} {% raw %} ]]> & "quoted" \u202eevil \u2028 \ud800 \x00 \x1b[31m --> \u05d0'
)
MEGABYTE = HOSTILE * (1_000_000 // len(HOSTILE))


@pytest.fixture
def report(tmp_path):
    """Return a function that writes a report and returns its text."""
    return partial(write_page, tmp_path)


@pytest.fixture(scope="module")
def hostile_page(run, tmp_path_factory):
    """Return the page of a run with attacks in every text, name and title."""
    manifest = {"experiment": {"question": HOSTILE}}
    folder = tmp_path_factory.mktemp("hostile")
    return write_page(folder, tuple(map(hostile, run)), title=HOSTILE, manifest=manifest)


def hostile(transcript: Transcript) -> Transcript:
    """Return the same discussion with every free text replaced by an attack."""
    comparison = transcript.comparison
    return replace(
        transcript,
        condition=HOSTILE,
        comparison=replace(
            comparison,
            subset=HOSTILE,
            question=replace(comparison.question, text=HOSTILE, category=HOSTILE),
            answers=tuple(
                replace(a, text=HOSTILE + a.text + MEGABYTE, author=f"{a.author}{HOSTILE}")
                for a in comparison.answers
            ),
        ),
        seats=tuple(replace(s, reviewer=f"{s.reviewer}{HOSTILE}") for s in transcript.seats),
        turns=tuple(
            replace(turn, utterance=replace(turn.utterance, text=MEGABYTE, model=HOSTILE))
            for turn in transcript.turns
        ),
    )


class Elements(HTMLParser):
    """Parser that collects every element of a page with its attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep it."""
        self.found.append((tag, dict(attrs)))


def elements(page: str) -> list[tuple[str, dict[str, str | None]]]:
    """Return the elements that a browser would see."""
    parser = Elements()
    parser.feed(page)
    return parser.found


def test_hostile_texts_add_no_element(hostile_page):
    """Attacks in every text, name and title add no script and no image to the page."""
    page = hostile_page
    tags = elements(page)
    scripts = [attributes for tag, attributes in tags if tag == "script"]
    kinds = [script.get("type") for script in scripts]
    assert kinds == ["application/zlib", "application/json", None]
    assert not [tag for tag, _ in tags if tag in {"img", "iframe", "object", "embed", "link"}]
    assert not [name for _, attributes in tags for name in attributes if name.startswith("on")]
    assert "{{" not in page.replace("{{ 7*7 }}", "")
    assert "49" not in re.findall(r"<h1>.*?</h1>", page, re.DOTALL)[0]


def test_the_page_loads_nothing(page):
    """No element refers to an external address, and the policy would forbid it."""
    for tag, attributes in elements(page):
        for name in ("src", "href", "action", "data", "poster", "srcset"):
            assert (attributes.get(name) or "#").startswith("#"), (tag, attributes)
    style = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)[0]
    assert "url(" not in style
    assert "@import" not in style
    addresses = set(re.findall(r"https?://[^\s\"'<]+", page))
    assert addresses <= {"http://www.w3.org/2000/svg"}


def test_the_policy_allows_this_script_only(page):
    """The hash in the policy is the hash of the one script that runs."""
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    (policy,) = [
        attributes["content"]
        for tag, attributes in elements(page)
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    assert "default-src 'none'" in policy
    assert f"script-src 'sha256-{digest}'" in policy


def test_simulation_is_said_in_every_table_and_figure(page):
    """A copied table or figure keeps the word."""
    captions = re.findall(r"<caption>(.*?)</caption>", page, re.DOTALL)
    figures = [
        attributes
        for tag, attributes in elements(page)
        if "chart" in (attributes.get("class") or "").split()
    ]
    assert len(captions) > 5
    assert len(figures) > 3
    assert all("Simulated reviewers" in caption for caption in captions)
    assert all("Simulated reviewers" in (figure["aria-label"] or "") for figure in figures)
    assert page.count(">simulated reviewers</span>") == len(figures)


def test_tables_are_named_and_headed(page):
    """Every table has a caption, and every heading has a scope."""
    tags = elements(page)
    tables = [tag for tag, _ in tags if tag == "table"]
    assert len(tables) == len([tag for tag, _ in tags if tag == "caption"])
    assert all(attributes.get("scope") for tag, attributes in tags if tag == "th")
    assert {"header", "main", "nav", "footer"} <= {tag for tag, _ in tags}


def test_an_empty_run_has_a_report(report):
    """A run that was stopped before its first turn has a page too."""
    page = report((), manifest={})
    assert "0 discussions" in page
    assert "Nothing has been played yet" in page
    assert "<caption>" not in page


def test_the_same_run_gives_the_same_file(run, page, report):
    """The same run always gives the same report."""
    assert report(run) == page


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        ("vicuna80:/home/zoe/vicuna80/original", "vicuna80"),
        ("jsonl:C:\\Users\\zoe\\pairs.jsonl", "jsonl:pairs.jsonl"),
        ("sample", "sample"),
    ],
)
def test_the_folder_of_the_data_is_not_shown(run, report, data: str, shown: str):
    """A report names the data and their digest, and no folder of its author."""
    manifest = {"experiment": {"data": data}, "dataset": "set", "data_hash": "4f1c"}
    page = report(run[:1], manifest=manifest)
    assert f"<dt>data</dt><dd><bdi>{shown}</bdi></dd>" in page
    assert "<dt>data hash</dt><dd><bdi>4f1c</bdi></dd>" in page
    assert "zoe" not in page.split('id="played"')[1].split('id="transcripts"')[0]


def test_a_control_stands_beside_its_condition(run, page, report):
    """The page shows how often opinions are altered without an argument."""
    assert "Effect of the argument" not in page
    placebo = [
        replace(
            transcript,
            condition="placebo",
            turns=tuple(
                turn
                if turn.cue.private
                else replace(turn, cue=replace(turn.cue, control="placebo"))
                for turn in transcript.turns
            ),
        )
        for transcript in run[:5]
    ]
    page = report((*run, *placebo))
    assert "Effect of the argument" in page
    assert '<td class="left"><bdi>placebo</bdi></td>' in page


def test_a_report_that_cannot_be_written_says_so(run, tmp_path):
    """The message names the file and the option to change."""
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="choose another place with -o"):
        write_page(tmp_path / "file", run)


def test_the_document_holds_the_same_numbers(findings):
    """The findings as JSON have no NaN or infinity."""
    document = json.loads(json.dumps(build_findings_document(findings), allow_nan=False))
    assert document["schema"] == "Findings/1"
    assert document["data"]["simulated"] is True
    names = [condition["name"] for condition in document["data"]["conditions"]]
    assert names == ["ann with bob", "vote"]


# ---- in a browser

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)

_QUIET = (
    "--headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --virtual-time-budget=30000 --dump-dom"
)

WATCH = """
window.seen = [];
addEventListener("error", (event) => seen.push(`error: ${event.message}`));
addEventListener("securitypolicyviolation", (event) => seen.push(`policy: ${event.blockedURI}`));
"""

DRIVE = """
const rows = () => document.querySelectorAll("#list > li").length;
const range = () => document.querySelector("#range").textContent;
const press = (flag) => document.querySelector(`[data-flag="${flag}"]`).click();
const told = { all: rows(), range: range(), figures: document.querySelectorAll(".chart").length };
for (const flag of [1, 2, 4, 8, 16]) { press(flag); told[flag] = rows(); press(flag); }
press(1); press(8); told.both = rows(); press(1); press(8);
const select = document.querySelector("#condition");
select.value = "1"; select.dispatchEvent(new Event("change")); told.vote = rows();
select.value = ""; select.dispatchEvent(new Event("change"));
const search = document.querySelector("#search");
const until = (done, then, left = 200) => {
  if (done() || !left) then(); else setTimeout(() => until(done, then, left - 1), 20);
};
search.value = "GOOD answer 5"; search.dispatchEvent(new Event("input"));
until(() => rows() === 1, () => {
  told.search = rows();
  const details = document.querySelector("#list details");
  details.open = true;
  until(() => details.querySelector(".answers"), () => {
    told.text = details.querySelector(".answers").textContent;
    told.turns = details.querySelectorAll(".turn").length;
    told.scripts = document.scripts.length;
    told.images = document.images.length;
    told.seen = seen;
    document.title = "TOLD" + JSON.stringify(told) + "END";
  });
});
"""

OLD = "delete window.DecompressionStream;\n"

READ = """
const details = document.querySelector("#list details");
details.open = true;
setTimeout(() => {
  const told = { seen, rows: document.querySelectorAll("#list > li").length };
  told.notice = document.querySelector("#browse .notice").textContent;
  told.body = details.querySelector(".body").textContent;
  told.disabled = document.querySelector("#search").disabled;
  document.title = "TOLD" + JSON.stringify(told) + "END";
}, 200);
"""


def _fonts(folder: Path) -> dict[str, str]:
    # Chromium does not start on a machine without fonts, so it gets those of matplotlib.
    fonts = Path(get_data_path()) / "fonts" / "ttf"
    config = folder / "fonts.conf"
    config.write_text(
        f"<fontconfig><dir>{fonts}</dir><cachedir>{folder / 'fontcache'}</cachedir></fontconfig>",
        "utf-8",
    )
    return {"FONTCONFIG_FILE": str(config)}


def driven(
    page: str, folder: Path, *, before: str = WATCH, drive: str = DRIVE
) -> dict[str, object]:
    """Return the observations of a browser that uses the page as a reader does."""
    if CHROMIUM is None:
        pytest.skip("no Chromium here to open the report in")

    def allowed(script: str) -> str:
        return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()

    both = f"'sha256-{allowed(before)}' 'sha256-{allowed(drive)}' "
    page = page.replace("script-src ", f"script-src {both}", 1)
    page = page.replace("<style>", f"<script>{before}</script>\n<style>", 1)
    page = page.replace("</body>", f"<script>{drive}</script>\n</body>")
    path = folder / "driven.html"
    path.write_text(page, "utf-8")
    options = _QUIET.split()
    profile = f"--user-data-dir={folder / 'profile'}"
    ended = subprocess.run(
        [CHROMIUM, *options, profile, path.as_uri()],
        env={**os.environ, "HOME": str(folder), **_fonts(folder)},
        capture_output=True,
        timeout=120,
        check=False,
    )
    told = re.search(r"TOLD(\{.*?\})END", ended.stdout.decode(errors="replace"), re.DOTALL)
    assert told is not None, ended.stderr.decode(errors="replace")[-2000:]
    return json.loads(unescape(told[1]))


def test_a_reader_can_filter_search_and_open(run, page, tmp_path):
    """Filters, the choice of condition, the search and a transcript work, without one error."""
    told = driven(page, tmp_path)
    assert told["seen"] == []
    assert told["all"] == len(run)
    assert told["range"] == f"1 to {len(run)} of {len(run)}"
    assert (told["1"], told["2"], told["4"], told["8"], told["16"]) == (3, 2, 2, 1, 1)
    assert told["both"] == 0
    assert told["vote"] == 3
    assert told["search"] == 1
    assert "A good answer 5." in str(told["text"])
    assert told["turns"] == 6


def test_hostile_texts_stay_texts_in_a_browser(hostile_page, tmp_path):
    """A browser that opens a transcript full of attacks shows them and runs none of them."""
    told = driven(hostile_page, tmp_path)
    assert told["seen"] == []
    assert (told["scripts"], told["images"]) == (5, 0)
    assert "<img src=x onerror=alert(1)>" in str(told["text"])


def test_a_browser_that_cannot_unpack_the_texts_says_so(run, page, tmp_path):
    """Verdicts are still listed, and a message says what is missing and what to do."""
    told = driven(page, tmp_path, before=WATCH + OLD, drive=READ)
    assert told["seen"] == []
    assert told["rows"] == len(run)
    assert "DecompressionStream" in str(told["notice"])
    assert "cannot be shown" in str(told["body"])
    assert told["disabled"] is True


def test_without_a_script_all_figures_and_tables_are_there(page):
    """Before any script runs the page has everything but the transcripts."""
    page = re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)
    assert page.count('role="img"') == page.count("<figcaption") > 8
    assert page.count("<tbody>") > 8
    assert "<noscript>" in page


def test_a_name_does_not_change_the_direction_of_its_sentence(hostile_page):
    """The sentences at the head keep the order of their numbers for every name of a reviewer."""
    page = hostile_page
    (head,) = re.findall(r'<ul class="glance".*?</ul>', page, re.DOTALL)
    assert "\u202e" not in page
    assert "<U+202E>" not in re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)
    assert "&lt;U+202E&gt;" in page
    assert head.count("\u2068") == head.count("\u2069") > 0

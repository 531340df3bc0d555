"""Pages of the documentation site: their links, the generated reference, and the checks themselves."""

import re
import tomllib

import peerjudge as pj
from peerjudge.analysis.frames import FRAMES
from peerjudge.cli import build_app
from tools.docsite import checking, reference, staging

GENERATED = {f"docs/{name}" for name in reference.GENERATED} | {
    f"docs/{reference.name_api_page(title)}" for title in (*reference.API, *reference.MODULES)
}


def test_links_of_the_documentation_lead_somewhere():
    """Every link of a Markdown file to a file or heading of the repository has its target."""
    moved = {f"docs/{page}" for page in staging.BORROWED.values()}
    names = [*staging.list_sources(), "README.md"]
    known = GENERATED | moved
    assert checking.check_sources(staging.ROOT, names, generated=known) == []


def test_a_broken_link_and_a_missing_heading_are_named(tmp_path):
    """The check reports the file and the link; code is no link."""
    (tmp_path / "a.md").write_text(
        "# A\n\n## `run --batch`: half\n\n[x](b.md) [y](#run---batch-half) [z](#b) `[c](d)`\n\n"
        "```\n# Not a heading\n[c](d.md)\n```\n[u](#not-a-heading)\n"
    )
    assert checking.check_sources(tmp_path, ["a.md"]) == [
        "a.md: broken link b.md",
        "a.md: no anchor #b",
        "a.md: no anchor #not-a-heading",
    ]


def test_links_follow_their_pages_to_the_site():
    """A link to a page from elsewhere in the repository leads to its place on the site."""
    text = "[s](../studies/README.md#x) [d](decisions.md) [c](../peerjudge/tracker.py) [w](https://a.b)\n"
    moved = staging.move_links(text, source="docs/prompts.md", page="prompts.md")
    assert moved == "[s](evidence.md#x) [d](decisions.md) c [w](https://a.b)\n"
    code = "```\n[s](../studies/README.md)\n```\n"
    assert staging.move_links(code, source="docs/prompts.md", page="prompts.md") == code


def test_the_check_of_the_site_finds_foreign_hosts_and_broken_links(tmp_path):
    """A script, style, font or picture of another host is a fault; a link that a reader clicks is none."""
    (tmp_path / "a.css").write_text("@import '//fonts.example/x.css'; b {background: url(x.png)}")
    (tmp_path / "index.html").write_text(
        '<link rel="canonical" href="https://e.x/"><link rel="stylesheet" href="https://f.x/a.css">'
        '<script src="//g.x/a.js"></script><a href="https://h.x/">h</a><img src="none.png">'
        '<p id="one"><a href="#one"></a><a href="#two"></a><a href="a.css"></a></p>'
        "<p>```python notest\nx</p><code>```</code>"
    )
    assert checking.check_site(tmp_path) == [
        "index.html: loads https://f.x/a.css",
        "index.html: loads //g.x/a.js",
        "index.html: block shown as text: ```python notest",
        "index.html: no anchor #two",
        "index.html: broken link none.png",
        "a.css: loads //fonts.example/x.css",
    ]


def test_the_reference_has_every_public_name_and_command():
    """Each function and class of `peerjudge` is on a page of the API, each command on its page."""
    named = [name for _, names in reference.API.values() for name in names]
    wanted = {name for name in dir(pj) if callable(getattr(pj, name))}
    assert set(named) == wanted
    assert len(named) == len(wanted)
    page = reference.build_cli_page()
    app = build_app()
    for name in (name for name in app if not name.startswith("-")):
        section = page.split(f"\n## peerjudge {name}\n")[1].split("\n## ")[0]
        for one in (one for one in app[name].assemble_argument_collection() if one.show):
            assert f"`{one.names[0]}`" in section
    assert "\n:   \n" not in page


def test_the_reference_has_every_column_and_protocol():
    """Columns of frames, fields of the data objects in JSON, and built-in files are described."""
    schemas = reference.build_schemas_page()
    data = dict(reference.build_api_pages())[reference.name_api_page("Data")]
    anchors = checking.list_anchors(schemas)
    linked = re.findall(r"\(\.\./schemas\.md#(\w+)\)", data)
    assert {"question", "transcript", "dataset"} <= set(linked) <= set(anchors)
    assert all(f"| `{column}` |" in schemas for column in FRAMES["turns"])
    assert "| `answers` | list of [Answer](#answer) |" in schemas
    assert "| `leader_follower` |" in reference.build_protocols_page()


def test_every_page_is_in_the_navigation():
    """The site has no page that its navigation does not reach, and no entry without a page."""
    config = tomllib.loads((staging.ROOT / "tools/docsite/zensical.toml").read_text("utf-8"))
    pages = {staging.name_page(source) for source in staging.list_sources()}
    generated = {name.removeprefix("docs/") for name in GENERATED}
    assert sorted(list_entries(config["project"]["nav"])) == sorted(pages | generated)


def list_entries(nav):
    """Return the pages of a navigation, from its nested lists of titles."""
    if isinstance(nav, str):
        return [nav]
    parts = nav.values() if isinstance(nav, dict) else nav
    return [page for part in parts for page in list_entries(part)]

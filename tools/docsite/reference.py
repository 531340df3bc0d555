"""Generated pages: functions and classes, commands, columns and schemas."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cyclopts import App

    from peerjudge.shelf import Kind

API: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "Runs and judgements": (
        "Functions that play discussions. Those with `_sync` need no `await`.",
        (
            "run", "run_sync", "load", "load_sync", "RunSummary", "judge", "judge_sync", "Judge",
            "Judgement", "answers", "answers_sync", "pairs", "pairs_sync", "optimize", "optimize_sync",
            "plan", "preview", "fork", "fork_sync",
        ),
    ),
    "Measures": (
        "Functions that read runs, datasets, transcripts and frames. None calls a model.",
        (
            "score", "compare", "agreement", "bias", "rank", "rank_styles", "measure",
            "peer_rank", "corrected", "decide", "events", "talk", "opinion_events", "report", "reproduce",
        ),
    ),
    "Frames": (
        "Tables of a run as pandas frames; [schemas](../schemas.md) has their columns.",
        (
            "ballots_df", "discussions_df", "turns_df", "calls_df", "events_df", "battles_df",
            "weights_df",
        ),
    ),
    "Data": (
        "Frozen data objects. `to_json` and `from_json` of `peerjudge.data` serialise them.",
        (
            "Question", "Answer", "Comparison", "Verdict", "Seat", "Cue", "Turn", "Transcript",
            "Battle", "Card", "Condition", "Seating", "Leader", "Orders", "Experiment", "Dataset",
            "Shelf", "DiscussionProtocol", "PeerJudgeError",
        ),
    ),
}  # fmt: skip
"""Pages of the API: title, introduction, and public names of `peerjudge`."""
MODULES: Mapping[str, tuple[str, str]] = {
    "Testing": (
        "peerjudge.testing",
        "Contracts and scripted reviewers for tests of protocols, reviewers and analyses.",
    ),
    "Reviewers": (
        "peerjudge.reviewers",
        "Agents, teams and model clients as reviewers, and discussions as agents and teams.",
    ),
}
"""Pages of the API that show the public names of a module."""
GENERATED = ("cli.md", "schemas.md", "protocols.md")
"""Pages that are generated, besides those under `api/`."""

_KINDS: tuple[Kind, ...] = ("protocols", "prompts", "experiments", "agents")
_NOUNS = ("Comparison", "Transcript", "Battle", "Card", "Experiment", "Dataset")

_COMMANDS_INTRO = (
    "Results are written to stdout, progress and logs to stderr. `--json` prints one JSON document. "
    "[Running a paid study](running.md#stop-resume-extend) lists the exit codes. "
    "`peerjudge COMMAND --help` prints the same as this page."
)
_JSON_INTRO = (
    '`peerjudge.data.to_json` writes `{"schema": "NAME/VERSION", "data": {...}}`, where `data` is '
    "the object below. Fields without a default are required; unknown fields are refused. "
    "`msgspec.json.schema(peerjudge.Transcript)` is the same as JSON Schema."
)
_SHELF_INTRO = (
    "What is built in. `peerjudge show KIND NAME` prints a file, and `peerjudge new KIND NAME "
    "--from OTHER` writes one of your own that begins with it. [Methods](first-discussion.md#methods) sorts "
    "the protocols by purpose."
)


def write_reference(to: Path) -> list[str]:
    """Write all generated pages into a folder; return their names."""
    pages = {
        "cli.md": build_cli_page(),
        "schemas.md": build_schemas_page(),
        "protocols.md": build_protocols_page(),
        **dict(build_api_pages()),
    }
    for name, text in pages.items():
        (to / name).parent.mkdir(parents=True, exist_ok=True)
        (to / name).write_text(text, "utf-8")
    return list(pages)


def name_api_page(title: str) -> str:
    """Return the file of a page of the API."""
    return f"api/{title.lower().replace(' ', '-')}.md"


def build_api_pages() -> Iterator[tuple[str, str]]:
    """Yield name and text of each page of the API; mkdocstrings fills them from docstrings."""
    for title, (introduction, names) in API.items():
        parts = [f"# {title}", introduction, *(_refer(name) for name in names)]
        yield name_api_page(title), "\n\n".join(parts) + "\n"
    for title, (module, introduction) in MODULES.items():
        yield name_api_page(title), "\n\n".join(_build_module(title, module, introduction)) + "\n"


def _refer(name: str) -> str:
    """Return the directive of a public name; fields of data objects are on the page of schemas."""
    import msgspec

    import peerjudge as pj

    public = getattr(pj, name)
    directive = f"::: peerjudge.{name}"
    if not isinstance(public, type):
        return directive
    if issubclass(public, msgspec.Struct):
        return f"{directive}\n\nFields, types and defaults: [{name}](../schemas.md#{name.lower()})."
    return f"{directive}\n    options:\n      show_if_no_docstring: true"


def _build_module(title: str, module: str, introduction: str) -> list[str]:
    from importlib import import_module

    names = [
        name
        for name in import_module(module).__all__
        if callable(getattr(import_module(module), name)) and name != name.upper()
    ]
    blocks = [f"::: {module}.{name}" for name in sorted(names, key=str.lower)]
    return [f"# {title}", f"`{module}`: {introduction[0].lower()}{introduction[1:]}", *blocks]


def build_cli_page() -> str:
    """Return the commands with arguments, options and exit codes, from the application itself."""
    from peerjudge.cli import build_app

    parts = [
        "# Commands",
        _COMMANDS_INTRO,
        *_build_commands(build_app()),
    ]
    return "\n\n".join(parts) + "\n"


def _build_commands(app: App) -> Iterator[str]:
    for name in (one for one in app if not one.startswith("-")):
        command = app[name]
        usage = inspect.cleandoc(inspect.getdoc(command.default_command) or "")
        summary, _, rest = usage.partition("\nParameters\n")[0].partition("\n\n")
        yield f"## peerjudge {name}"
        yield _escape(" ".join(summary.split()))
        # Indented lines are examples; other paragraphs are prose.
        yield from (
            part if part.startswith("    ") else _escape(part)
            for part in rest.strip("\n").split("\n\n")
            if part.strip()
        )
        yield from _list_options(
            command.assemble_argument_collection(
                default_parameter=app.default_parameter, parse_docstring=True
            )
        )


def _list_options(arguments: Iterable[Any]) -> Iterator[str]:
    """Yield one item of a definition list for each argument that help shows."""
    for one in (one for one in arguments if one.show):
        names = ", ".join(f"`{name}`" for name in one.names)
        choices = one.get_choices()
        values = f" `{'` `'.join(choices)}`" if choices else ""
        default = one.field_info.default
        shown = default is not inspect.Parameter.empty and default not in (None, (), [], False, "")
        sentences = (
            _escape(" ".join((one.parameter.help or "").split())),
            f"One of{values}." if choices else "",
            f"Default: `{getattr(default, 'value', default)}`." if shown else "",
            "Required." if one.required else "",
        )
        yield f"{names}\n:   {' '.join(part for part in sentences if part)}"


def _escape(text: str) -> str:
    """Return prose in which angle brackets, brackets and stars are shown as they are."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(
        part if part.startswith("`") else re.sub(r"([<\[\]*_])", r"\\\1", part) for part in parts
    )


def build_schemas_page() -> str:
    """Return the columns of the frames, and the fields of the data objects in JSON."""
    import msgspec

    import peerjudge as pj
    from peerjudge.analysis.frames import FRAMES

    parts = [
        "# Schemas",
        "## Frames",
        "Columns of `pj.NAME_df(...)`; `peerjudge export RUN --format parquet` and `csv` write the turns.",
    ]
    for name, columns in FRAMES.items():
        parts += [f"### {name}_df", _build_table(("column", "meaning"), columns.items())]
    _, schemas = msgspec.json.schema_components(
        [getattr(pj, name) for name in _NOUNS], schema_hook=lambda _: {"title": "any"}
    )
    parts += [
        "## Data objects in JSON",
        _JSON_INTRO,
    ]
    for name, schema in sorted(schemas.items()):
        if "properties" not in schema:
            values = ", ".join(f"`{value}`" for value in schema.get("enum", ()))
            parts += [f"### {name}", _escape(_first(schema)), values]
            continue
        needed = set(schema.get("required", ()))
        rows = [
            (field, _name_type(kind), "" if field in needed else f"`{kind.get('default', '')}`")
            for field, kind in schema["properties"].items()
        ]
        rows = [(field, kind, default.replace("``", "")) for field, kind, default in rows]
        parts += [f"### {name}", _escape(_first(schema))]
        parts.append(_build_table(("field", "type", "default"), rows, raw=True))
    return "\n\n".join(part for part in parts if part) + "\n"


def _first(schema: Mapping[str, Any]) -> str:
    return " ".join(inspect.cleandoc(schema.get("description", "")).split("\n\n")[0].split())


def _name_type(schema: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        return " or ".join(_name_type(one) for one in schema["anyOf"])
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {_name_type(schema['items'])}" if schema.get("items") else "list"
    return str(schema.get("type", "any"))


def _build_table(
    head: tuple[str, ...], rows: Iterable[tuple[str, ...]], *, raw: bool = False
) -> str:
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    for first, *others in rows:
        cells = [text if raw else _escape(text) for text in others]
        lines.append(
            f"| `{first}` | {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
        )
    return "\n".join(lines)


def build_protocols_page() -> str:
    """Return the built-in protocols, prompt packs and experiments with their descriptions."""
    from peerjudge.shelf import Shelf

    shelf = Shelf()
    parts = [
        "# Protocols, packs and experiments",
        _SHELF_INTRO,
    ]
    for kind in _KINDS:
        rows = [(one.name, one.description) for one in shelf.entries(kind) if one.builtin]
        parts += [f"## {kind.capitalize()}", _build_table(("name", "description"), rows)]
    return "\n\n".join(parts) + "\n"

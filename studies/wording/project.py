"""Project folder that plays the cells: their packs, the card of the model, and the experiment."""

from __future__ import annotations

import json
from pathlib import Path

from peerjudge.data import PromptPack
from studies.wording.factors import build_pack, list_cells

CARD = "reader"

_CARD = """\
description = "The model behind {url}."

[model]
provider = "vllm"
name = "{name}"
base_url = "{url}"

[sampling]
temperature = 0.0
max_tokens = 24
logprobs = true

[limits]
max_connections = 1
"""

_EXPERIMENT = '''\
"""Which words of a bare pairwise verdict matter to this model?"""

from peerjudge.data import Condition, Experiment

EXPERIMENT = Experiment(
    data={data!r},
    conditions=tuple(
        Condition(name=pack, protocol="pairwise", seats=({card!r},), prompts=pack)
        for pack in {packs!r}
    ),
)
'''


def write_project(
    folder: Path,
    *,
    data: str,
    url: str,
    model: str,
    folded: bool = False,
    packs: tuple[str, ...] = (),
) -> Path:
    """Write the project and return the path of its experiment, to be given to `peerjudge run`.

    Args:
        folder: The folder to write; existing files are replaced.
        data: The comparisons, as in `Experiment.data`.
        url: The address of an OpenAI-compatible server, ending in `/v1`.
        model: The name by which the server knows the model.
        folded: Plays all sixteen cells instead of eight.
        packs: Names of packs of the shelf to play instead of the cells.
    """
    cells = () if packs else list_cells(folded=folded)
    for cell in cells:
        _write(folder / "protocols" / "prompts" / f"{cell.name}.toml", dump_pack(build_pack(cell)))
    _write(folder / "agents" / f"{CARD}.toml", _CARD.format(url=url, name=model))
    played = packs or tuple(cell.name for cell in cells)
    text = _EXPERIMENT.format(data=data, card=CARD, packs=played)
    return _write(folder / "experiments" / "wording.py", text)


def dump_pack(pack: PromptPack) -> str:
    """Return a pack as TOML."""
    lines = [f"description = {_quote(pack.description)}", f"fence = {_quote(pack.fence)}"]
    parts = ("system", "label", "scene", "seat", "heard", "criteria", "remind")
    lines += [f"{part} = {_quote(getattr(pack, part))}" for part in parts]
    for name, table in (("tasks", pack.tasks), ("reply", pack.reply)):
        lines += [f"\n[{name}]", *(f"{key} = {_quote(text)}" for key, text in table.items())]
    return "\n".join(lines) + "\n"


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)  # JSON strings without control characters are TOML.


def _write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path

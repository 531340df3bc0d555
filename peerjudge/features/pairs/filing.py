"""Files of pairs: a table that `jsonl` reads, LLMBar's layout, and a data card."""

from __future__ import annotations

import json
from pathlib import Path

from peerjudge.data import Answer, Comparison, Question, Scalar, Verdict, replace, to_plain
from peerjudge.errors import StoreError
from peerjudge.features.pairs.nouns import Pair, Paired
from peerjudge.features.pairs.recipes import RECIPES


def build_comparison(pair: Pair) -> Comparison:
    """Return the comparison of a pair; its answers are `better`, `worse_1`, ... in the order shown."""
    return Comparison(
        id=pair.id,
        question=Question(id=pair.item.question, text=pair.item.text, category=pair.item.category),
        answers=tuple(
            Answer(id=name, text=one.text, author=one.author or "source")
            for name, one in pair.answers.items()
        ),
        gold=Verdict.of("better"),
        subset=pair.recipe,
    )


def write_pairs(paired: Paired) -> Paired:
    """Write the files into the folder of the pairs and return the result with their names.

    Raises `StoreError` for a folder that cannot be written.
    """
    out = Path(paired.out)
    files = {"pairs": out / "pairs.jsonl", "card": out / "README.md"}
    rows = [build_row(pair, paired) for pair in paired.pairs]
    _write(files["pairs"], "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows))
    two = [pair for pair in paired.pairs if len(pair.shown) == 2]
    for recipe in dict.fromkeys(pair.recipe for pair in two):
        path = out / "LLMBar" / recipe / "dataset.json"
        listed = [_build_instance(pair) for pair in two if pair.recipe == recipe]
        _write(path, json.dumps(listed, ensure_ascii=False, indent=1) + "\n")
        files["llmbar"] = out / "LLMBar"
    _write(files["card"], write_card(paired))
    return replace(paired, files={name: str(path) for name, path in files.items()})


def build_row(pair: Pair, paired: Paired) -> dict[str, Scalar | list[dict[str, str]]]:
    """Return the row of a pair in the columns of `peerjudge.datasets.table`, with its provenance."""
    comparison = build_comparison(pair)
    made = pair.worse[0]
    right, judged = pair.verdicts
    return {
        "id": pair.id,
        "question": pair.item.text,
        "answers": [
            {"id": answer.id, "text": answer.text, "author": answer.author}
            for answer in comparison.answers
        ],
        "gold": "better",
        "subset": pair.recipe,
        **({"category": pair.item.category} if pair.item.category else {}),
        "status": pair.status,
        "source": paired.source,
        "licence": paired.licence,
        "recipe": pair.recipe,
        "writer": pair.writer,
        "model": made.model,
        "prompt_hash": made.prompt,
        "seed": pair.seed,
        "parent": pair.item.parent,
        "chosen_by": ",".join([*pair.votes, *([paired.hard_for] if paired.hard_for else [])]),
        "votes_for_better": right if judged else None,
        "votes": judged or None,
        "verdicts": json.dumps(to_plain(pair.votes)) if pair.votes else "",
    }


def _build_instance(pair: Pair) -> dict[str, object]:
    one, other = pair.shown
    return {
        "input": pair.item.text,
        "output_1": one.text,
        "output_2": other.text,
        "label": pair.place + 1,
    }


def write_card(paired: Paired) -> str:
    """Return the data card: what the pairs are, how many, who checked them, and what audits say."""
    lines = [
        "# Pairs of a better and a worse answer",
        "",
        f"Made with PeerJudge from `{paired.source}` (licence: {paired.licence}), seed {paired.seed}.",
        "The better answer is `gold`; it is shown first in exactly half of the pairs.",
        "",
        "| recipe | what is worse | pairs | disputed | left out |",
        "|---|---|---|---|---|",
    ]
    for count in paired.counts:
        says, reasons = RECIPES[count.recipe].says, count.reasons or "none"
        lines.append(f"| {count.recipe} | {says} | {count.kept} | {count.disputed} | {reasons} |")
    lines += ["", "## Who checked them", ""]
    if paired.verifiers:
        lines.append(
            f"{', '.join(paired.verifiers)} judged every pair in all orders. A pair is verified if at least "
            "two thirds of their verdicts choose the better answer, else disputed; disputed pairs are kept "
            "and marked."
        )
    else:
        lines.append(
            "No card: answers made by rule are worse by construction; others are unverified."
        )
    if paired.hard_for:
        lines.append(
            f"Only pairs on which `{paired.hard_for}` erred were kept, so its accuracy on them says nothing."
        )
    lines += [
        "",
        "## Judges that read nothing",
        "",
        "| pairs | judge | right in % [95 %] |",
        "|---|---|---|",
    ]
    for name, rows in paired.audits.items():
        for row in rows:
            mark = " **solves them**" if row.solves else ""
            lines.append(f"| {name} | {row.judge} | {row.percent}{mark} |")
    if paired.simulated:
        lines += ["", "Some of the reviewers are simulated."]
    return "\n".join([*lines, ""])


def _write(path: Path, text: str) -> None:
    draft = path.with_name(f"{path.name}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.write_text(text, encoding="utf-8")
        draft.replace(path)
    except OSError as cause:
        msg = (
            f"{path} cannot be written: {cause.strerror or cause}; choose another folder with --out"
        )
        raise StoreError(msg) from cause

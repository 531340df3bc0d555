"""Descriptions in an evidence bundle: how to reproduce it, and its metadata as a research object."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import cast

_MEDIA = {
    ".json": "application/json",
    ".gz": "application/gzip",
    ".html": "text/html",
    ".md": "text/markdown",
    ".toml": "application/toml",
    ".py": "text/x-python",
}


def describe_reproduction(
    manifest: Mapping[str, object], withheld: Sequence[str], *, texts: bool, licence: str
) -> str:
    """Return `REPRODUCE.md`: what the bundle holds, how to check it, and how to run it again."""
    experiment = cast("Mapping[str, object]", manifest.get("experiment") or {})
    versions = cast("Mapping[str, object]", manifest.get("versions") or {})
    name = experiment.get("name", "study")
    known = [f"{package} {version}" for package, version in versions.items() if version]
    python = manifest.get("python")
    lines = [
        f"# {name}",
        "",
        (
            "Written by `peerjudge bundle`. `transcripts.jsonl.gz` holds the discussions, `numbers/` and "
            "`report.html` what was computed from them, and `manifest.json` the experiment as it was run."
        ),
        "",
        "Check it, without a key and without a call:",
        "",
        "    peerjudge verify FILE.zip",
        "",
        "Every command reads the bundle like the run, for example `peerjudge score FILE.zip`.",
        "",
        (
            "To run the experiment again, put the folders `agents`, `protocols` and `experiments` beside "
            f"each other and run `peerjudge run {name}` with the data below."
        ),
        "",
    ]
    if known:
        lines.append(f"- Versions: {', '.join(known)}" + (f", Python {python}" if python else ""))
    for label, key in (
        ("Data", "dataset"),
        ("SHA-256 of the data", "data_hash"),
        ("Written", "written"),
    ):
        if manifest.get(key):
            lines.append(f"- {label}: {manifest[key]}")
    lines.append(f"- Licence of the data: {licence or 'not known'}")
    if "seed" in experiment:
        lines.append(f"- Seed: {experiment['seed']}")
    if not texts:
        lines.append("- Questions and answers are withheld: their SHA-256 stands in their place.")
    lines += [f"- Not included: {sentence}" for sentence in withheld]
    return "\n".join(lines) + "\n"


def describe_crate(
    manifest: Mapping[str, object], members: Iterable[str], *, licence: str
) -> dict[str, object]:
    """Return the metadata of the bundle in the form of RO-Crate 1.1, a JSON-LD document.

    The licence is that of the data, which the discussions quote; empty where it is not known.
    """
    experiment = cast("Mapping[str, object]", manifest.get("experiment") or {})
    names = sorted(members)
    files = [
        {
            "@id": name,
            "@type": "File",
            "encodingFormat": _MEDIA.get(name[name.rfind(".") :], "text/plain"),
        }
        for name in names
    ]
    about = str(experiment.get("question") or "Discussions of language-model reviewers.")
    root: dict[str, object] = {
        "@id": "./",
        "@type": "Dataset",
        "name": str(experiment.get("name") or "study"),
        "description": about,
        "hasPart": [{"@id": name} for name in names],
    }
    if manifest.get("written"):
        root["datePublished"] = manifest["written"]
    data: dict[str, object] = {
        "@id": "#data",
        "@type": "Dataset",
        "name": str(manifest.get("dataset") or experiment.get("data") or "data"),
    }
    root["isBasedOn"] = {"@id": "#data"}
    entities: list[dict[str, object]] = [data]
    if licence:
        root["license"] = data["license"] = {"@id": "#licence"}
        about = "Licence of the data, which the discussions quote."
        entities.append(
            {"@id": "#licence", "@type": "CreativeWork", "name": licence, "description": about}
        )
    descriptor = {
        "@id": "ro-crate-metadata.json",
        "@type": "CreativeWork",
        "about": {"@id": "./"},
        "conformsTo": {"@id": "https://w3id.org/ro/crate/1.1"},
    }
    return {
        "@context": "https://w3id.org/ro/crate/1.1/context",
        "@graph": [descriptor, root, *entities, *files],
    }

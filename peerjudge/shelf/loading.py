"""Loading of shelf files: modules, executed once, and the protocols that they declare."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import ModuleType
from typing import cast

from peerjudge.data import Scalar
from peerjudge.data.choices import suggest_name
from peerjudge.errors import PeerJudgeError, ProtocolError, ShelfError
from peerjudge.protocol import (
    Conclude,
    DiscussionProtocol,
    NextCues,
    NoOptions,
    Roles,
    last_verdict,
)
from peerjudge.shelf.folders import first_paragraph


def load_module(path: Path, kind: str) -> ModuleType:
    """Return the module of a file, executed once per process; raises `ShelfError` if it fails.

    The module is registered before it is executed, because a dataclass with postponed annotations
    looks its own module up. The name is mangled, so that it never hides a package.
    """
    path = path.resolve()
    place = hashlib.sha256(str(path).encode("utf-8", "surrogateescape")).hexdigest()[:12]
    name = f"_peerjudge_{kind}_{path.stem}_{place}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        msg = f"{path} cannot be loaded as Python"
        raise ShelfError(msg)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException as cause:
        del sys.modules[name]
        if not isinstance(cause, Exception | SystemExit):
            raise
        kind = "" if isinstance(cause, PeerJudgeError) else f"{type(cause).__name__}: "
        msg = f"{path} does not load: {kind}{cause}"
        raise ShelfError(msg) from cause
    return module


def load_protocol(name: str, path: Path, options: Mapping[str, Scalar]) -> DiscussionProtocol:
    """Return the protocol of a file with these options, each read as its declared type.

    Raises `ProtocolError` for a file that declares no protocol and for an unknown or unfit option.
    """
    module = load_module(path, "protocols")
    if not callable(getattr(module, "next_cues", None)) or not hasattr(module, "SEATS"):
        msg = f"{path} is not a protocol: it needs SEATS and a function next_cues"
        if callable(getattr(module, "next_cue", None)):
            msg = (
                f"{path} has the former function next_cue: rename it to next_cues(seats, comparison, turns, "
                "options) -> tuple[Cue, ...], and return (cue,) in place of cue and () in place of None"
            )
        raise ProtocolError(msg)
    return DiscussionProtocol(
        name=name,
        description=first_paragraph(module.__doc__),
        cues=cast("NextCues", module.next_cues),
        conclusion=cast("Conclude", getattr(module, "conclude", last_verdict)),
        options=_read_options(name, getattr(module, "Options", NoOptions), options),
        seats=_read_bounds(path, "SEATS", module.SEATS),
        answers=_read_bounds(path, "ANSWERS", getattr(module, "ANSWERS", (2, 2))),
        roles=_read_roles(path, getattr(module, "ROLES", ())),
        swap_symmetric=bool(getattr(module, "SWAP_SYMMETRIC", True)),
        reverses=bool(getattr(module, "REVERSES", False)),
    )


def _read_options(protocol: str, kind: object, options: Mapping[str, Scalar]) -> object:
    from pydantic import TypeAdapter, ValidationError

    if not (isinstance(kind, type) and is_dataclass(kind)):
        msg = f"Options of protocol {protocol!r} must be a frozen dataclass, not {kind!r}"
        raise ProtocolError(msg)
    known = [entry.name for entry in fields(kind)]
    for option in options:
        if option not in known:
            hint = suggest_name(option, known) or "."
            msg = f"protocol {protocol!r} has no option {option!r}{hint} It has {sorted(known)}"
            raise ProtocolError(msg)
    try:
        return TypeAdapter(kind).validate_python(dict(options))
    except ValidationError as cause:
        first = cause.errors()[0]
        msg = (
            f"option {'.'.join(map(str, first['loc']))!r} of protocol {protocol!r}: "
            f"{first['msg']} (found {first['input']!r})"
        )
        raise ProtocolError(msg) from cause


def _read_roles(path: Path, value: object) -> Roles:
    roles = cast("tuple[object, ...]", value) if isinstance(value, tuple) else (None,)
    repeats = [place for place, role in enumerate(roles) if role is ...]
    named = [role for role in roles if isinstance(role, str) and role.isidentifier()]
    if len(named) + len(repeats) < len(roles) or len(repeats) > 1 or repeats == [0]:
        msg = (
            f'{path}: ROLES must be words, such as ("debater", ..., "judge"), with ... once and not '
            f"first, not {value!r}"
        )
        raise ProtocolError(msg)
    return cast("Roles", roles)


def _read_bounds(path: Path, constant: str, value: object) -> tuple[int, int | None]:
    match value:
        case (int() as least, int() | None as most) if least > 0 and (
            most is None or most >= least
        ):
            return least, most
        case _:
            msg = f"{path}: {constant} must be (least, most), most None for no limit, not {value!r}"
            raise ProtocolError(msg)

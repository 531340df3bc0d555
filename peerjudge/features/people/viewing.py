"""What people add to the viewer: pages of studies, and the open requests of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from peerjudge.features.people.desk import DESK_FILE
from peerjudge.features.people.desk_records import count_requests
from peerjudge.features.people.study_desk import holds_study
from peerjudge.features.people.study_pages import StudyViews
from peerjudge.web.library import Library, Page, ShownKind

__all__ = ["STUDIES", "count_requests"]


def _find_studies(folder: Path) -> Sequence[Path]:
    """Return the folder if it holds a study, or the folders in it that do."""
    if holds_study(folder):
        return [folder]
    return [one.parent for one in sorted(folder.glob(f"*/{DESK_FILE}")) if holds_study(one.parent)]


def _list_pages(library: Library) -> Mapping[str, Page]:
    studies = StudyViews(library)
    return {
        "/studies": studies.list_all,
        "/studies/{study}": studies.show,
        "/studies/{study}/version": studies.version,
    }


STUDIES = ShownKind(
    noun=("study", "studies"),
    link="Studies of annotators",
    find=_find_studies,
    list_pages=_list_pages,
)
"""Studies of annotators in the viewer."""

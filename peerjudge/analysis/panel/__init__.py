"""A panel of reviewers: how well each judges, how alike they err, how many independent ones it is worth."""

from peerjudge.analysis.panel.pairs import PanelPair
from peerjudge.analysis.panel.panel import Panel, panel

__all__ = ["Panel", "PanelPair", "panel"]

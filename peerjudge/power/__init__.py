"""Simulates a study before it is paid for: what it would show, how large it has to be, what it costs."""

from peerjudge.power.effects import GAIN, LEADER, METHOD, NAMES, VOTE, Effect
from peerjudge.power.outlook import SIZES, EffectOutlook, Expense, Outlook, Seen, outlook
from peerjudge.power.power import AtSize, Needed

__all__ = [
    "GAIN",
    "LEADER",
    "METHOD",
    "NAMES",
    "SIZES",
    "VOTE",
    "AtSize",
    "Effect",
    "EffectOutlook",
    "Expense",
    "Needed",
    "Outlook",
    "Seen",
    "outlook",
]

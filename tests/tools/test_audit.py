"""The audit of packages: what was not looked up is never called free of vulnerabilities."""

import pytest

from tools.audit import describe

CLEAN = {"name": "one", "version": "1", "vulns": []}
KNOWN = {"name": "two", "version": "2", "vulns": [{"id": "PYSEC-1", "fix_versions": ["3"]}]}
SKIPPED = {"name": "three", "skip_reason": "not found"}


@pytest.mark.parametrize(
    ("packages", "code", "words"),
    [
        ([CLEAN], 0, "1 of 1 packages looked up, 0 vulnerabilities"),
        ([CLEAN, SKIPPED], 0, "Not audited, as no advisories were found: three."),
        ([SKIPPED] * 12, 2, "and 2 more"),
        ([], 2, "0 of 0"),
        ([KNOWN, SKIPPED], 1, "two 2: PYSEC-1, mended in 3"),
    ],
)
def test_what_was_not_looked_up_is_named(packages, code, words):
    """The exit code tells nothing known, vulnerabilities, and nothing looked up apart."""
    found, lines = describe({"dependencies": packages})
    assert (found, words in "\n".join(lines)) == (code, True)

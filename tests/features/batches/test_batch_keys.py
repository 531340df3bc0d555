"""Keys of batch APIs, which some servers repeat in what they answer."""

from __future__ import annotations

import json

import pytest

from peerjudge.runs import run
from tests.features.batches.batch_kit import prepare
from tests.features.batches.test_anthropic_batches import MessageBatchServer
from tests.features.batches.test_batches import BatchServer

KEY = "sk-of-the-test-0123456789"


class Repeating:
    """Puts the key into the words of every reply."""

    async def send_lines(self, request, lines):
        """Send results that hold the key."""
        repeated = json.loads(json.dumps(lines).replace("with care", KEY))
        return await super().send_lines(request, repeated)


class RepeatingBatchServer(Repeating, BatchServer):
    """OpenAI's batches with the key in them."""


class RepeatingMessageBatchServer(Repeating, MessageBatchServer):
    """Anthropic's batches with the key in them."""


@pytest.mark.parametrize(
    ("provider", "server"),
    [("openai", RepeatingBatchServer), ("anthropic", RepeatingMessageBatchServer)],
)
async def test_a_key_in_the_results_of_a_batch_is_kept_nowhere(
    kit, start, tmp_path, monkeypatch, provider, server
):
    """The replies of a batch are stored before any reviewer reads them, without the key."""
    monkeypatch.setenv("KEY_OF_THE_TEST", KEY)
    prepare(kit, tmp_path, start(server()), provider=provider)
    for card in (tmp_path / "agents").iterdir():
        named = '[model]\nkey_env = "KEY_OF_THE_TEST"\n'
        card.write_text(card.read_text().replace("[model]\n", named))
    monkeypatch.chdir(tmp_path)
    summary = await run("study", out="out", limit=1, batch=True)
    assert summary.discussions.failed == 0
    kept = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    assert KEY.encode() not in kept
    assert b"I compared both [key]" in kept

"""Process that plays one shard: `python -m peerjudge.features.shards.worker`.

It reads its task as one line of JSON, writes its reports as lines of JSON, and ends when its input ends.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import threading

from peerjudge.cli.console import configure_logging
from peerjudge.cli.interrupts import cancel_on_signal, exit_code
from peerjudge.data import from_plain, to_plain
from peerjudge.errors import PeerJudgeError
from peerjudge.features.shards.tasks import ShardReport, ShardTask, play_task


def _report(report: ShardReport) -> None:
    print(json.dumps(to_plain(report)), flush=True)  # noqa: T201  what the process that started it reads


def _end_with_input(over: threading.Event) -> None:
    """Interrupt this process when nobody waits for it any more."""
    # Not by sys.stdin, whose lock this thread would hold when the interpreter ends.
    while os.read(0, 1):
        pass
    if not over.is_set():
        os.kill(os.getpid(), signal.SIGINT)


async def _play(task: ShardTask) -> None:
    async with cancel_on_signal():
        await play_task(task, _report)


def main() -> int:
    """Play the shard that standard input names, and return the exit code."""
    task = from_plain(ShardTask, json.loads(sys.stdin.readline()))
    over = threading.Event()
    threading.Thread(target=_end_with_input, args=(over,), daemon=True).start()
    configure_logging(level=task.log_level, form="text")
    try:
        asyncio.run(_play(task))
    except PeerJudgeError as error:
        _report(ShardReport(error=str(error)))
        return 2
    except KeyboardInterrupt as interrupt:
        return exit_code(interrupt)
    finally:
        over.set()
    return 0


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    sys.exit(main())

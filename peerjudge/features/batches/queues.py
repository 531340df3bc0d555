"""Batch mode of model clients: a queue that collects requests and sends them as batches.

It sits under the provider's SDK, as its HTTP transport, so prompts, replies and errors are those of
single calls. A request waits until every open discussion of the run waits (`peerjudge.engine.barrier`);
then all of them go out together. The intent is recorded before a batch is created and its id after, so
that the next run collects what this one sent.
"""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from enum import Enum
from uuid import uuid4

from peerjudge.clients.cache import request_key
from peerjudge.clients.retry import is_transient
from peerjudge.engine.barrier import Barrier, parked
from peerjudge.features.batches.api import (
    BatchApi,
    BatchFailedError,
    BatchRefusedError,
    BatchRequest,
    BatchUndecidedError,
    LineResponse,
)
from peerjudge.features.batches.record import Batches, BatchState, StoredBatch
from peerjudge.logs import get_logger

_FIRST_POLL, _LONGEST_POLL = 0.2, 60.0
"""Shortest and longest time between two looks at a batch. [s]"""
_GRACE = 20.0
"""Time within which a batch that was being created at a crash appears in the server's list. [s]"""
_SKEW = 3600.0
"""Most by which the clocks of this machine and the server differ. [s]"""
_ERROR_STATUS = 300
_SERVER_ERROR = 500
_MOST_AROUND = 200
"""Most bytes that a batch has around the body of a request."""

_log = get_logger()


@dataclass(slots=True, eq=False)
class _Waiting:
    """A request that waits for its response."""

    request: BatchRequest
    done: asyncio.Future[LineResponse] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )

    @property
    def key(self) -> str:
        """Return the key of the request."""
        return self.request.key


class BatchMode:
    """Batches of a run: a queue for each model, sent when the run is quiet.

    Args:
        barrier: Calls this when every open discussion waits.
        batches: Record of what was sent.
        say: Shows a sentence to the user.
        detach: Set `detached` once every open discussion waits for a batch that the provider works on.
    """

    def __init__(
        self,
        barrier: Barrier,
        batches: Batches,
        *,
        say: Callable[[str], None] = lambda _: None,
        detach: bool = False,
    ) -> None:
        self.detached = asyncio.Event()
        self._detach = detach
        self.barrier = barrier
        self.batches = batches
        self.say = say
        self._queues: list[BatchQueue] = []
        self._tasks: set[asyncio.Task[None]] = set()
        barrier.on_quiet = self._act_when_quiet

    def open_queue(self, open_api: Callable[[str, Mapping[str, str]], BatchApi]) -> BatchQueue:
        """Return the queue of one client, whose requests share batches.

        Args:
            open_api: Returns the batch API at an address, with the headers of the client's requests.
        """
        queue = BatchQueue(self, open_api)
        self._queues.append(queue)
        return queue

    def start(self, task: asyncio.Task[None]) -> None:
        """Keep a task that sends or polls until it ends."""
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """Stop sending and polling; batches at the server go on."""
        for task in tuple(self._tasks):
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)

    def _act_when_quiet(self) -> None:
        """Send what waits; where nothing is left to do but to wait for the provider, detach."""
        for queue in self._queues:
            queue.send()
        states = {queue.state for queue in self._queues}
        if self._detach and QueueState.AWAY in states and QueueState.BUSY not in states:
            self.detached.set()


class QueueState(Enum):
    """What a queue waits for."""

    IDLE = "nothing"
    BUSY = "its own requests to the server"
    AWAY = "batches that the provider works on"


class BatchQueue:
    """Queue of one client whose requests go out as batches."""

    def __init__(
        self, mode: BatchMode, open_api: Callable[[str, Mapping[str, str]], BatchApi]
    ) -> None:
        self._mode = mode
        self._open_api = open_api
        self._pending: list[_Waiting] = []
        self._bytes = 0
        self._flying: dict[str, dict[str, _Waiting]] = defaultdict(dict)
        self._delivered: set[str] = set()
        self._recovering: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._api: BatchApi | None = None
        self._place = ""
        self._sending = 0
        self._under_way: set[str] = set()
        """Batches that had not ended, or may be at the server, at the last look; by name."""

    async def ask(self, body: bytes, *, place: str, headers: Mapping[str, str]) -> LineResponse:
        """Return the response to a request from a batch of this run or an earlier one.

        Args:
            body: JSON body of the request.
            place: Address of the API.
            headers: Headers with the key.
        """
        if self._api is None:
            self._place = place
            self._api = self._open_api(place, headers)
        key = self._api.name_request(request_key.get() or uuid4().hex)
        waiting = _Waiting(BatchRequest(key, body))
        answer = await self._find_earlier(waiting)
        if answer is None:
            with parked():
                answer = await waiting.done
        self._delivered.add(key)
        return answer

    async def close(self) -> None:
        """Close the connections to the batch API."""
        if self._api is not None:
            await self._api.close()

    @property
    def state(self) -> QueueState:
        """Return what the queue waits for."""
        if self._pending or self._sending or self._flying.keys() - self._under_way:
            return QueueState.BUSY
        return QueueState.AWAY if self._under_way else QueueState.IDLE

    def send(self) -> None:
        """Send the requests that wait, in batches of the largest allowed size."""
        pending, self._pending, self._bytes = self._pending, [], 0
        if not pending:
            return
        for chunk in _split(pending, self._server):
            self._sending += 1
            self._mode.start(asyncio.create_task(self._send(chunk), name="batch"))

    @property
    def _server(self) -> BatchApi:
        if self._api is None:
            msg = "no request has named the address of the batch API"
            raise RuntimeError(msg)
        return self._api

    async def _find_earlier(self, waiting: _Waiting) -> LineResponse | None:
        """Return the stored response to a request; else let it wait for its batch or the next one."""
        batches, key = self._mode.batches, waiting.key
        if key in self._delivered:
            # The reply was of no use, as it had no words: this is another attempt.
            batches.forget(key)
        elif (found := batches.find(key)) is not None:
            stored, response = found
            if response is not None:
                return LineResponse(200, response)
            if stored.place == self._place:
                batch = await self._recover(stored.intent, key)
                if batch is not None:
                    self._follow(stored.intent, batch, [waiting])
                    return None
        self._pending.append(waiting)
        self._bytes += len(waiting.request.body)
        api = self._server
        if len(self._pending) >= api.most_requests or self._bytes >= api.most_bytes:
            self.send()
        return None

    async def _recover(self, intent: str, key: str) -> str | None:
        """Return the id of the batch of an earlier run, and record it; `None` if the server has none."""
        batches, lock = self._mode.batches, self._recovering[intent]
        with parked():
            await lock.acquire()
        try:
            found = batches.find(key)
            if found is None or found[0].state is BatchState.ENDED:
                return None
            stored = found[0]
            if stored.state is BatchState.SENT:
                return stored.batch
            created = stored.state is BatchState.CREATING
            batch = await self._find_created(stored, pausing=parked) if created else None
            if batch is None:
                batches.drop(intent)
            else:
                batches.advance(intent, BatchState.SENT, batch=batch)
            return batch
        finally:
            lock.release()

    async def _find_created(
        self, stored: StoredBatch, *, pausing: Callable[[], AbstractContextManager[None]]
    ) -> str | None:
        """Return the id of a batch that was being created, once the server lists it.

        Args:
            stored: The batch.
            pausing: Marks waits that may take as long as a batch.
        """
        size, pause = self._mode.batches.count(stored.intent), 1.0
        while True:
            late = time.time() > stored.created + _GRACE
            try:
                batch = await self._server.find(
                    stored.intent,
                    size=size,
                    since=stored.created - _SKEW,
                    known=self._mode.batches.list_ids(stored.place),
                )
            except BatchUndecidedError as undecided:
                if pause == 1.0:
                    self._mode.say(
                        f"{undecided}; its requests are sent again only if it is another one"
                    )
                self._under_way.add(stored.intent)
                with pausing():
                    await asyncio.sleep(pause)
                self._under_way.discard(stored.intent)
                pause = min(_LONGEST_POLL, 1.5 * pause)
                continue
            if batch is not None or late:
                return batch
            await asyncio.sleep(1.0)

    def _follow(self, intent: str, batch: str, requests: Sequence[_Waiting]) -> None:
        """Let requests wait for a batch that was sent, and poll it."""
        polled = intent in self._flying
        self._flying[intent].update((request.key, request) for request in requests)
        if not polled:
            self._mode.start(asyncio.create_task(self._poll(intent, batch), name="batch"))

    async def _send(self, chunk: Sequence[_Waiting]) -> None:
        batches, intent = self._mode.batches, uuid4().hex
        try:
            created = time.time()
            batches.intend(intent, [each.key for each in chunk], place=self._place, created=created)
            batch = await self._create(chunk, intent)
            batches.advance(intent, BatchState.SENT, batch=batch)
        except Exception as error:  # noqa: BLE001  every request of the batch gets the error
            _fail(chunk, error)
            return
        finally:
            self._sending -= 1
        self._mode.say(
            f"batch {batch}: {len(chunk):,} requests sent {time.strftime('%H:%M')}; "
            "waiting for it (Ctrl-C is safe: the same command collects it)"
        )
        self._follow(intent, batch, chunk)

    async def _create(self, chunk: Sequence[_Waiting], intent: str) -> str:
        """Create a batch that is recorded, and return its id; drop its record if there is none."""
        batches, creating = self._mode.batches, False

        def note_creation() -> None:
            nonlocal creating
            batches.advance(intent, BatchState.CREATING)
            creating = True

        try:
            return await self._server.submit(
                [each.request for each in chunk], intent=intent, on_create=note_creation
            )
        except Exception as error:
            refused = isinstance(error, BatchRefusedError) and error.status_code < _SERVER_ERROR
            stored = None if refused or not creating else batches.find(chunk[0].key)
            # Without a clear answer, the server may have created it.
            batch = stored and await self._find_created(stored[0], pausing=nullcontext)
            if batch is None:
                batches.drop(intent)
                raise
            return batch

    async def _poll(self, intent: str, batch: str) -> None:
        """Wait until a batch has ended, store its responses and hand them out."""
        pause = _FIRST_POLL
        try:
            while (responses := await self._look(batch)) is None:
                self._under_way.add(intent)
                self._mode.barrier.check()
                await asyncio.sleep(pause)
                pause = min(_LONGEST_POLL, 1.5 * pause)
            self._deliver(intent, responses)
        except Exception as error:  # noqa: BLE001  every request of the batch gets the error
            if isinstance(error, BatchFailedError):
                self._mode.batches.drop(intent)
            self._under_way.discard(intent)
            _fail(self._flying.pop(intent).values(), error)

    async def _look(self, batch: str) -> Mapping[str, LineResponse] | None:
        try:
            return await self._server.fetch(batch)
        except Exception as error:
            if not is_transient(error):
                raise
            _log.info("batch is not readable now", batch=batch, kind=type(error).__name__)
            return None

    def _deliver(self, intent: str, responses: Mapping[str, LineResponse]) -> None:
        """Store the responses of a batch and hand them out; requests without one are sent again."""
        good = {key: each.body for key, each in responses.items() if each.status < _ERROR_STATUS}
        self._mode.batches.end(intent, good)
        self._under_way.discard(intent)
        missing: list[_Waiting] = []
        for key, waiting in self._flying.pop(intent).items():
            if (response := responses.get(key)) is None:
                missing.append(waiting)
            elif not waiting.done.done():
                waiting.done.set_result(response)
        if missing:
            self._mode.say(
                f"{len(missing):,} requests did not run before their batch ended; sent again"
            )
            self._pending += missing
            self._bytes += sum(len(each.request.body) for each in missing)
            self._mode.barrier.check()


def _fail(requests: Iterable[_Waiting], error: Exception) -> None:
    """End requests with the refusal of the server as their response, or with the error."""
    for request in requests:
        if request.done.done():
            continue
        if isinstance(error, BatchRefusedError):
            request.done.set_result(LineResponse(error.status_code, error.body))
        else:
            request.done.set_exception(error)


def _split(pending: Sequence[_Waiting], api: BatchApi) -> Iterator[list[_Waiting]]:
    chunk: list[_Waiting] = []
    size = 0
    for each in pending:
        if each.done.done():
            continue
        length = len(each.request.body) + _MOST_AROUND
        if chunk and (len(chunk) == api.most_requests or size + length > api.most_bytes):
            yield chunk
            chunk, size = [], 0
        chunk.append(each)
        size += length
    if chunk:
        yield chunk

"""`Notes`: what is written down of a run while it is under way; a record is made from it."""

import logging
from collections.abc import Callable
from datetime import datetime
from typing import Any, Protocol

import msgspec

from kubewright import _json
from kubewright.api.kind import ObjectKey
from kubewright.api.requests import JSON, Request
from kubewright.errors import DecodeError
from kubewright.runs.call import APICall
from kubewright.runs.reason import Reason
from kubewright.runs.record import LogLine, Outcome, RunFailure, RunRecord

__all__ = ["MOST_BYTES", "MOST_CALLS", "MOST_LINES", "Notes"]

MOST_CALLS: int = 100
"""How many requests of one run are kept, the first ones."""
MOST_LINES: int = 100
"""How many log lines of one run are kept, the first ones."""
MOST_BYTES: int = 1 << 20
"""How many bytes the calls of one run may take, and its lines; what is beyond is left out."""

_SIZE = 1200  # bytes, roughly, of a record with nothing in it, its place in the ring included
_LINE = 200
_ABOUT_ONE = frozenset({"get", "create", "update", "patch"})
# Subresources that answer with the whole object.
_WHOLE = frozenset({"", "approval", "ephemeralcontainers", "finalize", "resize", "status"})
_BOUND = ("controller", "kind", "namespace", "name", "reconcile_id")


class _Requested(Protocol):
    """What a run is about: a request of the queue."""

    @property
    def namespace(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def cluster(self) -> str: ...


class NotedRun(Protocol):
    """What a reconciler is told about the call it is in, as far as a record says it."""

    id: str
    reasons: tuple[Reason, ...]
    attempt: int
    controller: str
    kind: str
    changed: bool

    @property
    def request(self) -> _Requested:
        """What is reconciled."""
        ...


class _Named(msgspec.Struct):
    name: str = ""


class _Answer(msgspec.Struct):
    metadata: _Named = msgspec.field(default_factory=_Named)


class Notes(msgspec.Struct, eq=False, gc=False):
    """Collects what one run does; after `end_call`, a `RunRecord` is made from it.

    A struct with few things in it, since one is made for each run: the record is made when
    somebody asks for it.

    Attributes:
        run: The run.
        began: When its reconciler was called.
        started: The same on the clock that *time* reads.
        waited: How many seconds it had been due by then.
        time: The clock, in seconds.
        took: How many seconds the call took.
        outcome: How it ended.
        delay: In how many seconds the object is reconciled again.
        next_reasons: Why it is.
        failure: What the reconciler raised.
        size: How many bytes of memory it takes, roughly.
        is_open: Whether the reconciler has not ended yet.
    """

    run: NotedRun
    began: datetime
    started: float
    waited: float
    time: Callable[[], float]
    took: float = 0.0
    outcome: Outcome = "success"
    delay: float | None = None
    next_reasons: tuple[Reason, ...] = ()
    failure: RunFailure | None = None
    size: int = _SIZE
    is_open: bool = True
    _calls: list[APICall] | None = None
    _calls_left_out: int = 0
    _lines: list[LogLine] | None = None
    _lines_left_out: int = 0
    _seen: dict[tuple[int, str], bytes] | None = None
    _record: RunRecord | None = None

    # --- While the run is under way ---

    def hear_line(self, level: int, event: str, fields: dict[str, Any]) -> None:
        """Note a line that was logged."""
        if not self.is_open:
            return
        lines = self._lines
        if lines is None:
            lines = self._lines = []
        if len(lines) >= MOST_LINES or self.size > MOST_BYTES:
            self._lines_left_out += 1
            return
        own = {name: one for name, one in fields.items() if name not in _BOUND}
        line = LogLine(self._at(), logging.getLevelName(level).lower(), event, own)
        lines.append(line)
        self.size += _LINE + len(str(line))

    def hear_failure(self, request: Request, *, took: float, status: int, error: str) -> None:
        """Note a request that failed, or was cancelled; *status* is 0 if no answer came."""
        if self.is_open:
            at = max(0.0, self._at() - took)
            self._add(APICall.of(request, at=at, took=took, status=status, error=error))

    def hear_answer(
        self,
        request: Request,
        *,
        took: float,
        status: int,
        body: bytes,
        before: bytes | None,
        server: int,
    ) -> None:
        """Note a request that was answered with success.

        Args:
            request: The request.
            took: How many seconds it took.
            status: The HTTP status.
            body: The answer.
            before: The object as a cache had it before a write; ``None`` if none had it.
            server: Tells the server from others that have objects of the same names.
        """
        if not self.is_open:
            return
        call = APICall.of(request, at=max(0.0, self._at() - took), took=took, status=status)
        call.received = len(body)
        if body and request.attempt.verb in _ABOUT_ONE:
            self._look_at(call, request, body, before, server)
        self._add(call)

    def _look_at(
        self, call: APICall, request: Request, body: bytes, before: bytes | None, server: int
    ) -> None:
        """Compare what a write made with what was there; remember both for the next write."""
        call.name = call.name or _name_in(body)
        if call.dry_run:
            return
        is_whole = request.attempt.subresource in _WHOLE and request.accept == JSON
        which = (server, _path(request, call.name))
        seen = self._seen
        if seen is None:
            seen = self._seen = {}
        if request.attempt.verb != "get":
            call.note_write(request, seen.get(which, before) if is_whole else None, body)
        if is_whole:
            seen[which] = body

    def _add(self, call: APICall) -> None:
        calls = self._calls
        if calls is None:
            calls = self._calls = []
        if len(calls) >= MOST_CALLS or self.size > MOST_BYTES:
            self._calls_left_out += 1
            return
        calls.append(call)
        self.size += call.size

    def _at(self) -> float:
        return self.time() - self.started

    # --- When it is over ---

    def end_call(self) -> None:
        """Note that the reconciler has ended; what it left behind is not noted any more."""
        self.took = self.time() - self.started
        self.is_open = False
        self._seen = None

    def fail(self, failure: RunFailure) -> None:
        """Note what the reconciler raised."""
        self.failure = failure
        self.size += len(failure.traceback) + len(failure.text)

    @property
    def record(self) -> RunRecord:
        """The record; to be asked for after the end."""
        found = self._record
        if found is None:
            run, request = self.run, self.run.request
            found = self._record = RunRecord(
                id=run.id,
                controller=run.controller,
                kind=run.kind,
                key=ObjectKey(request.namespace, request.name),
                cluster=request.cluster,
                reasons=run.reasons,
                attempt=run.attempt,
                began=self.began,
                waited=self.waited,
                took=self.took,
                outcome=self.outcome,
                delay=None if self.delay is None else round(self.delay, 6),
                next_reasons=self.next_reasons,
                failure=self.failure,
                changed=run.changed,
                calls=tuple(self._calls or ()),
                calls_left_out=self._calls_left_out,
                logs=tuple(self._lines or ()),
                logs_left_out=self._lines_left_out,
            )
        return found


def _path(request: Request, name: str) -> str:
    """Return where the object is that *request* is about: also its version counts."""
    path, attempt = request.target.partition("?")[0], request.attempt
    if attempt.subresource:
        return path.removesuffix(f"/{attempt.subresource}")
    return path if attempt.name else f"{path}/{name}"


def _name_in(body: bytes) -> str:
    try:
        return _json.decode(body, _Answer).metadata.name
    except DecodeError:
        return ""

"""`Recorder`: which calls operators make while tests run, for ``kubewright rbac audit``.

It hears of the requests of each client in the process, and keeps those of operators: what a manager
runs, and what `as_operator` marks. It changes none of them.
"""

import os
import sys
import sysconfig
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from types import FrameType

import kubewright
from kubewright.api.requests import Request
from kubewright.application.calls import Call, Calls, Trace, calls_for, encode_calls
from kubewright.client.transport import Duplex, Response, Stream, Transport
from kubewright.client.witness import OPERATOR, WITNESSES, as_operator

__all__ = ["FOLDER", "Recorder", "RecordingTransport", "as_operator"]

FOLDER: str = "KUBEWRIGHT_RECORD_CALLS"
"""The environment variable with the folder that each process of a test run writes its calls to."""

_TEST = "PYTEST_CURRENT_TEST"
_LOOP = str(Path("asyncio", "events.py"))
_OURS = (
    str(Path(kubewright.__file__).parent) + os.sep,
    *{sysconfig.get_path(one) + os.sep for one in ("stdlib", "purelib", "platlib")},
    "<",
)


class Recorder:
    """Keeps the calls of operators, each with where it was made first."""

    def __init__(self) -> None:
        self.calls: Calls = {}

    def start(self) -> None:
        """Hear of the requests of all clients that are made from now on."""
        WITNESSES.append(self.wrap)

    def stop(self) -> None:
        """Hear of no more clients; may be called twice."""
        if self.wrap in WITNESSES:
            WITNESSES.remove(self.wrap)

    def wrap(self, transport: Transport) -> Transport:
        """Return *transport* with us in front of it."""
        # The parts of an embedded cluster are ordinary programs, with a manager.
        if getattr(transport, "is_trusted", False):
            return transport
        return RecordingTransport(transport, self)

    def note(self, request: Request, code: int = 0) -> None:
        """Note a request; again with its answer if that says more than the request did."""
        attempt = request.attempt
        path, _, query = request.target.partition("?")
        if attempt.resource.startswith("/"):  # discovery: a path, and no resource
            self._add(Call(attempt.verb, url=path))
            return
        resource = attempt.resource
        if attempt.subresource:
            resource += f"/{attempt.subresource}"
        for call in calls_for(
            attempt.verb, attempt.group, resource,
            namespace=attempt.namespace, name=attempt.name, query=query, code=code,
        ):  # fmt: skip
            self._add(call)

    def _add(self, call: Call) -> None:
        trace = self.calls.get(call)
        if trace is None:
            test = os.environ.get(_TEST, "").partition(" (")[0]
            trace = self.calls[call] = Trace(0, test, _user_line(sys._getframe(1)))  # noqa: SLF001  # no other way
        trace.count += 1

    def write(self, folder: Path) -> None:
        """Write the calls of this process to a file in *folder*."""
        (folder / f"{os.getpid()}.json").write_bytes(encode_calls(self.calls))


class RecordingTransport:
    """Passes requests to another transport, and notes those of operators.

    Args:
        transport: Where requests go.
        recorder: Who notes them.
    """

    def __init__(self, transport: Transport, recorder: Recorder) -> None:
        self._transport = transport
        self._recorder = recorder

    async def send(self, request: Request, *, timeout: float | None = None) -> Response:
        """Send *request*."""
        if not OPERATOR.get():
            return await self._transport.send(request, timeout=timeout)
        try:
            response = await self._transport.send(request, timeout=timeout)
        except BaseException:  # it may have been answered nevertheless
            self._recorder.note(request)
            raise
        self._recorder.note(request, response.status)
        return response

    @asynccontextmanager
    async def stream(
        self, request: Request, *, timeout: float | None = None
    ) -> AsyncIterator[Stream]:
        """Open *request* as a stream."""
        if OPERATOR.get():
            self._recorder.note(request)
        async with self._transport.stream(request, timeout=timeout) as stream:
            yield stream

    def upgrade(
        self, request: Request, *, timeout: float | None = None
    ) -> AbstractAsyncContextManager[Duplex]:
        """Switch protocols with *request*."""
        if OPERATOR.get():
            self._recorder.note(request)
        return self._transport.upgrade(request, timeout=timeout)

    async def close(self) -> None:
        """Close every connection."""
        await self._transport.close()


def _user_line(frame: FrameType | None) -> str:
    """Return the innermost line that is not ours, or a library's; empty if there is none."""
    while frame is not None:
        name = frame.f_code.co_filename
        if name.endswith(_LOOP):
            break  # below is whoever runs the event loop
        if not name.startswith(_OURS):
            return f"{_short(name)}:{frame.f_lineno}"
        frame = frame.f_back
    return ""


def _short(name: str) -> str:
    path = Path(name)
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else name

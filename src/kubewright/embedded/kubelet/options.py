"""The options of requests, read from the query of a URL."""

from datetime import datetime, timedelta
from urllib.parse import parse_qsl

from msgspec import Struct

from kubewright._aio import Clock
from kubewright.api.times import parse_time
from kubewright.apiserver.meta import field, status
from kubewright.apiserver.meta.names import GroupKind
from kubewright.apiserver.wire.route import is_true
from kubewright.embedded.node.access import AccessError, LogOptions

LARGEST_PORT: int = 65535

_LOG_KIND = GroupKind("", "PodLogOptions")
_POSITIVE = "must be greater than 0"
_LONGEST = 100 * 365 * 24 * 3600
_API_NAMES = ("stdin", "stdout", "stderr")
_KUBELET_NAMES = ("input", "output", "error")


class RemoteOptions(Struct, frozen=True):
    """The options of exec and attach.

    Attributes:
        command: The words of the command; empty to attach.
        stdin: Whether the client is going to write.
        stdout: Whether the client wants to read it.
        stderr: The same; never with a terminal, which has one output.
        tty: Whether the command gets a terminal.
    """

    command: tuple[str, ...] = ()
    stdin: bool = False
    stdout: bool = False
    stderr: bool = False
    tty: bool = False

    def check(self) -> None:
        """Refuse options without any stream.

        Raises:
            AccessError: No stream was asked for.
        """
        if not (self.stdin or self.stdout or self.stderr):
            raise AccessError(400, "you must specify at least 1 of stdin, stdout, stderr")


def remote_options(query: str, *, kubelet: bool = False) -> RemoteOptions:
    """Read the options of exec and attach; the API of a kubelet has names of its own."""
    pairs = parse_qsl(query, keep_blank_values=True)
    said = {name: value for name, value in reversed(pairs)}  # noqa: C416  # the first one counts
    stdin, stdout, stderr = (
        is_true(said.get(name, "")) for name in (_KUBELET_NAMES if kubelet else _API_NAMES)
    )
    tty = is_true(said.get("tty", ""))
    command = tuple(value for name, value in pairs if name == "command")
    return RemoteOptions(command, stdin, stdout, stderr and not tty, tty)


def ports(query: str) -> list[int]:
    """Read which ports to forward; over SPDY, the streams name them.

    Raises:
        AccessError: One of them is not a port.
    """
    said = [value for name, value in parse_qsl(query) if name in {"ports", "port"}]
    return [_port(text) for value in said for text in value.split(",")]


def _port(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or not 0 < int(text) <= LARGEST_PORT:
        raise AccessError(400, f"unable to parse {text!r} as a port")
    return int(text)


def log_options(query: str, *, pod: str, clock: Clock) -> LogOptions:
    """Read the options of a log.

    Raises:
        StatusError: One of them is invalid; the message is Kubernetes' own.
    """
    said = dict(reversed(parse_qsl(query, keep_blank_values=True)))  # the first one counts
    tail, limit, seconds = (
        _number(said, name) for name in ("tailLines", "limitBytes", "sinceSeconds")
    )
    time = said.get("sinceTime", "")
    problems: list[field.FieldError] = []
    if tail is not None and tail < 0:
        detail = "must be greater than or equal to 0"
        problems.append(field.invalid("tailLines", tail, detail))
    if limit is not None and limit < 1:
        problems.append(field.invalid("limitBytes", limit, _POSITIVE))
    if time and seconds is not None:
        detail = "at most one of `sinceTime` or `sinceSeconds` may be specified"
        problems.append(field.forbidden("", detail))
    elif seconds is not None and seconds < 1:
        problems.append(field.invalid("sinceSeconds", seconds, _POSITIVE))
    if problems:
        raise status.invalid(_LOG_KIND, pod, problems)
    since = _time(time)
    if seconds is not None:
        since = clock.now() - timedelta(seconds=min(seconds, _LONGEST))
    follow, previous, timestamps = (
        is_true(said.get(name, "")) for name in ("follow", "previous", "timestamps")
    )
    return LogOptions(follow, previous, timestamps, tail, since, limit)


def _number(said: dict[str, str], name: str) -> int | None:
    text = said.get(name, "")
    if not text:
        return None
    try:
        return int(text)
    except ValueError:
        raise status.bad_request(f"{name}: {text!r} is not a number") from None


def _time(text: str) -> datetime | None:
    try:
        return parse_time(text) if text else None
    except ValueError as error:
        raise status.bad_request(f"sinceTime: {error}") from None

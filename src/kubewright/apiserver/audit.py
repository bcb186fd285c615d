"""The audit log: one event for every request, with its outcome.

Events are kept in memory for tests to read, the latest ones, and can go to a file as well, in the
format of ``audit.k8s.io/v1``. In memory an event is a tuple; its JSON is made when it is needed.
"""

import contextlib
from collections import deque
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Literal, NamedTuple, Self
from uuid import uuid4

import msgspec

from kubewright.api.times import format_micro_time
from kubewright.apiserver.authentication.user import UserInfo
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.registry.strategy import Obj
from kubewright.log import Logger, get_logger

log: Logger = get_logger(__name__)

Level = Literal["Metadata", "Request", "RequestResponse"]


class AuditEvent(NamedTuple):
    """One call.

    Attributes:
        verb: As RBAC names it.
        user: Who asked; `impersonated` is the user that they acted as.
        uri: The path with its query.
        code: The HTTP status of the answer.
        received: When the request arrived.
        finished: When the answer was ready.
        resource: What it was about; ``None`` for a path that is not a resource.
        peer: The address of the client, with its port; empty in process.
        status: The Status that was answered, for a failure.
        request_object: What the client sent, and
        response_object: what it got, by the level of the log.
    """

    verb: str
    user: UserInfo
    uri: str
    code: int
    received: datetime
    finished: datetime
    resource: GroupResource | None = None
    version: str = ""
    subresource: str = ""
    namespace: str = ""
    name: str = ""
    peer: str = ""
    user_agent: str = ""
    impersonated: UserInfo | None = None
    status: Obj | None = None
    annotations: Mapping[str, str] = {}
    request_object: Any = None
    response_object: Any = None

    @property
    def actor(self) -> str:
        """The name of the user whose rights counted."""
        return (self.impersonated or self.user).name

    @property
    def json(self) -> Obj:
        """The event as ``audit.k8s.io/v1`` writes it, but for its level and id."""
        found: Obj = {
            "stage": "ResponseComplete",
            "requestURI": self.uri,
            "verb": self.verb,
            "user": self.user.json,
        }
        optional = {
            "impersonatedUser": self.impersonated.json if self.impersonated else None,
            "sourceIPs": [_address(self.peer)] if self.peer else None,
            "userAgent": self.user_agent,
            "objectRef": self._reference(),
        }
        found.update({key: value for key, value in optional.items() if value})
        found["responseStatus"] = {"metadata": {}, **(self.status or {}), "code": self.code}
        objects = (("requestObject", self.request_object), ("responseObject", self.response_object))
        found.update({key: value for key, value in objects if value is not None})
        found["requestReceivedTimestamp"] = format_micro_time(self.received)
        found["stageTimestamp"] = format_micro_time(self.finished)
        if self.annotations:
            found["annotations"] = dict(self.annotations)
        return found

    def _reference(self) -> Obj | None:
        if self.resource is None:
            return None
        parts = {
            "resource": self.resource.resource,
            "namespace": self.namespace,
            "name": self.name,
            "apiGroup": self.resource.group,
            "apiVersion": self.version,
            "subresource": self.subresource,
        }
        return {key: value for key, value in parts.items() if value}


def _address(peer: str) -> str:
    host, colon, port = peer.rpartition(":")
    return host.strip("[]") if colon and port.isdigit() else peer


class AuditLog:
    """The latest events, and a file of all of them if one is wanted.

    Args:
        limit: How many events are kept in memory.
        file: Where each event goes as a line of JSON; appended to.
        level: How much of the objects is kept. The bodies of requests and answers can hold
            secrets, so by default they are not.
    """

    def __init__(
        self, *, limit: int = 10_000, file: Path | None = None, level: Level = "Metadata"
    ) -> None:
        self.level: Level = level
        self._events: deque[AuditEvent] = deque(maxlen=limit)
        self._name = str(file or "")
        self._file: BinaryIO | None = file.open("ab") if file else None

    @property
    def wants_request(self) -> bool:
        """Whether events should carry what the client sent."""
        return self.level != "Metadata"

    @property
    def wants_response(self) -> bool:
        """Whether events should carry what the client got."""
        return self.level == "RequestResponse"

    def record(self, event: AuditEvent) -> None:
        """Keep *event*."""
        self._events.append(event)
        if self._file is not None:
            self._write(event)

    def events(self, **wanted: Any) -> list[AuditEvent]:
        """Return the events of which every attribute named is as wanted, oldest first.

        ``user`` and ``resource`` can be given by name: the one whose rights counted, and the
        plural name in any group.

        Example:
            log.events(user="system:serviceaccount:shop:operator", verb="update")
        """
        return [event for event in self._events if _fits(event, wanted)]

    def clear(self) -> None:
        """Forget the events in memory; the file keeps them."""
        self._events.clear()

    def _write(self, event: AuditEvent) -> None:
        assert self._file is not None
        head = {"kind": "Event", "apiVersion": "audit.k8s.io/v1", "level": self.level}
        line = {**head, "auditID": str(uuid4()), **event.json}
        try:
            self._file.write(msgspec.json.encode(line) + b"\n")
            self._file.flush()
        except OSError as error:
            # The request was carried out, so it cannot fail now. A log with holes would mislead.
            log.warning("audit log failed, stopped writing it", path=self._name, error=str(error))
            self._abandon()

    def _abandon(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            with contextlib.suppress(OSError):  # closing tries to write what is left
                file.close()

    def close(self) -> None:
        """Close the file; may be called twice."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _fits(event: AuditEvent, wanted: dict[str, Any]) -> bool:
    return all(value == _attribute(event, name, value) for name, value in wanted.items())


def _attribute(event: AuditEvent, name: str, wanted: Any) -> Any:
    if isinstance(wanted, str) and name == "user":
        return event.actor
    if isinstance(wanted, str) and name == "resource":
        return event.resource.resource if event.resource else None
    return getattr(event, name)

"""The audit log of an API server: which calls a user made."""

from collections import Counter
from collections.abc import Iterable

import msgspec

from kubewright.application.calls import Call, Calls, Trace, calls_for
from kubewright.errors import ConfigError

__all__ = ["calls_in_audit_log"]

_SHOWN = 5


class _User(msgspec.Struct):
    username: str = ""


class _Reference(msgspec.Struct, rename="camel"):
    resource: str = ""
    namespace: str = ""
    name: str = ""
    api_group: str = ""
    subresource: str = ""


class _Answer(msgspec.Struct):
    code: int = 0


class _Event(msgspec.Struct, rename={"request_uri": "requestURI"}):
    kind: str
    stage: str = ""
    verb: str = ""
    request_uri: str = ""
    user: _User = msgspec.field(default_factory=_User)
    impersonated: _User | None = msgspec.field(name="impersonatedUser", default=None)
    reference: _Reference | None = msgspec.field(name="objectRef", default=None)
    answer: _Answer = msgspec.field(name="responseStatus", default_factory=_Answer)

    @property
    def actor(self) -> str:
        """The user whose rights counted."""
        return (self.impersonated or self.user).username


def calls_in_audit_log(lines: Iterable[bytes], user: str, *, place: str) -> Calls:
    """Return the calls that *user* made, from the lines of an audit log.

    Args:
        lines: One event of ``audit.k8s.io`` in JSON each; empty ones are passed over.
        user: Whose calls, such as ``system:serviceaccount:shop-system:shop-controller-manager``.
        place: The name of the log, for errors.

    Raises:
        ConfigError: A line is not an event, or the user made no call.
    """
    calls: Calls = {}
    others: Counter[str] = Counter()
    decoder = msgspec.json.Decoder(_Event)
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        event = _decoded(decoder, line, f"{place}:{number}")
        if event.actor != user:
            others[event.actor] += 1
        elif event.stage != "RequestReceived":  # of which another event tells the answer
            for call in _calls_of(event):
                calls.setdefault(call, Trace()).count += 1
    if not calls:
        raise ConfigError(f"{place} has no call of the user {user!r}: {_named(others)}")
    return calls


def _decoded(decoder: msgspec.json.Decoder[_Event], line: bytes, place: str) -> _Event:
    try:
        event = decoder.decode(line)
    except msgspec.DecodeError as error:
        raise ConfigError(f"{place} is not an audit event in JSON: {error}") from error
    if event.kind != "Event" or not event.verb:
        raise ConfigError(f"{place} is not an audit event: it is a {event.kind!r} without a verb")
    return event


def _calls_of(event: _Event) -> Iterable[Call]:
    path, _, query = event.request_uri.partition("?")
    about = event.reference
    if about is None or not about.resource:
        return [Call(event.verb, url=path)]
    return calls_for(
        event.verb,
        about.api_group,
        f"{about.resource}/{about.subresource}" if about.subresource else about.resource,
        namespace=about.namespace,
        name=about.name,
        query=query,
        code=event.answer.code,
    )


def _named(users: Counter[str]) -> str:
    if not users:
        return "it is empty. Does the audit policy of the server log requests at all?"
    names = ", ".join(name for name, _ in users.most_common(_SHOWN))
    return f"it has calls of {names}. Name one of them with --user"

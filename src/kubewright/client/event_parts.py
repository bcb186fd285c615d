"""The parts of an event: its object, its name, and the texts that the server accepts."""

import random
import re
from uuid import UUID

import msgspec

from kubewright.api.names import check_dns_subdomain
from kubewright.api.resource import Resource, mapping_of
from kubewright.api.unstructured import Unstructured

LONGEST_MESSAGE = 1024
"""Bytes, not characters: the server counts what Go counts."""
LONGEST_WORD = 128
"""Bytes of a reason, an action or an instance."""
_REASON = r"[A-Z][A-Za-z0-9]*"


class Reference(msgspec.Struct, frozen=True):
    """The object that an event is about."""

    api_version: str
    kind: str
    namespace: str
    name: str
    uid: str = ""
    resource_version: str = ""
    field_path: str = ""

    @property
    def identity(self) -> tuple[str, ...]:
        """What stays the same while the object lives."""
        return (self.api_version, self.kind, self.namespace, self.name, self.uid)


def reference_to(obj: Resource | Unstructured, *, home: str, field_path: str = "") -> Reference:
    """Return a reference to *obj*.

    Args:
        obj: The object, as it was read from the server.
        home: The namespace of objects that should be in one and do not say in which.
        field_path: The part of the object that the event is about.

    Raises:
        ValueError: It cannot be referred to, since it does not say what it is.
    """
    meta = obj.metadata
    if not meta.name or not obj.kind or not obj.api_version:
        raise ValueError(
            f"cannot record an event about {obj.kind or 'an object'} {meta.name!r}: it needs"
            " apiVersion, kind and a name. Use the object that the server returned."
        )
    return Reference(
        api_version=obj.api_version,
        kind=obj.kind,
        namespace=meta.namespace or _namespace_of(obj, home),
        name=meta.name,
        uid=meta.uid,
        resource_version=meta.resource_version,
        field_path=field_path,
    )


def _namespace_of(obj: Resource | Unstructured, home: str) -> str:
    namespaced = isinstance(obj, Resource) and mapping_of(type(obj)).namespaced
    return home if namespaced else ""


def event_name(subject: str, nanoseconds: int) -> str:
    """Return the name of an Event about *subject*: ``<subject>.<hex nanoseconds>`` or a UUID.

    Example:
        >>> event_name("web-0", 255)
        'web-0.ff'
    """
    name = f"{subject}.{nanoseconds:x}"
    try:
        check_dns_subdomain(name)
    except ValueError:  # RBAC objects may be called system:node, and names may be too long
        return str(UUID(int=random.getrandbits(128), version=4))
    return name


def shortened(message: str) -> str:
    """Return *message* as the server accepts it: valid text of at most 1024 bytes.

    Example:
        >>> len(shortened("é" * 2000).encode())
        1023
    """
    data = message.encode("utf-8", "replace")
    if len(data) > LONGEST_MESSAGE:
        mark = "…"
        room = LONGEST_MESSAGE - len(mark.encode())
        return data[:room].decode("utf-8", "ignore") + mark
    return data.decode("utf-8")


def check_words(kind: str, reason: str, action: str) -> None:
    """Check the settings that a program chooses once.

    Raises:
        ValueError: The server, or a reader of events, would not understand one of them.
    """
    if kind not in {"Normal", "Warning"}:
        raise ValueError(f"an event is of type 'Normal' or 'Warning', not {kind!r}")
    if not re.fullmatch(_REASON, reason):
        raise ValueError(
            f"{reason!r} is not a reason for an event: write one word in CamelCase,"
            " such as 'ScalingFailed', and put the rest into the message"
        )
    check_length("reason", reason)
    check_length("action", action)


def check_length(what: str, text: str, *, at_least: int = 0) -> None:
    """Check that *text* has as many bytes as the server accepts.

    Raises:
        ValueError: It has too many or too few.
    """
    if not at_least <= len(text.encode("utf-8", "replace")) <= LONGEST_WORD:
        raise ValueError(
            f"the {what} of an event has {at_least} to {LONGEST_WORD} bytes, not {text!r}"
        )

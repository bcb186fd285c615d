"""`Call`: what somebody did on an API server, in the words of RBAC; and files of such calls."""

from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import parse_qs

import msgspec

from kubewright.errors import ConfigError

__all__ = ["Call", "Calls", "Trace", "calls_for", "decode_calls", "encode_calls", "merged_calls"]

_CREATED = 201
_NAME = "metadata.name"


class Call(msgspec.Struct, frozen=True, order=True):
    """One verb on one thing; what RBAC is asked about.

    Attributes:
        verb: As RBAC names it.
        group: The API group.
        resource: The plural, with the subresource after a slash: ``shops/status``.
        namespace: The namespace of the object; empty for all of them, or if it has none.
        name: The name of the object; empty for a collection, and for what is created.
        url: A path such as ``/metrics``; then there is no resource.
    """

    verb: str
    group: str = ""
    resource: str = ""
    namespace: str = ""
    name: str = ""
    url: str = ""


class Trace(msgspec.Struct):
    """How often a call was made, and where it was made first.

    Attributes:
        count: How often.
        test: The test, as pytest names it.
        place: The line of the operator's code, such as ``shop/controller.py:42``; empty if
            Kubewright made the call by itself.
    """

    count: int = 0
    test: str = ""
    place: str = ""


Calls = dict[Call, Trace]


class _Line(msgspec.Struct):
    call: Call
    trace: Trace


def calls_for(  # noqa: PLR0913  # the parts of a request that RBAC looks at
    verb: str,
    group: str,
    resource: str,
    *,
    namespace: str = "",
    name: str = "",
    query: str = "",
    code: int = 0,
) -> Iterator[Call]:
    """Yield what RBAC was asked about for one request.

    Args:
        verb: The verb.
        group: The API group.
        resource: The plural, with the subresource after a slash.
        namespace: The namespace, if any.
        name: The name, if any.
        query: The query of the URL; a list of the objects of one name is a list of that object.
        code: The HTTP status of the answer.
    """
    if verb == "create" and "/" not in resource:
        name = ""  # it is in the body, where RBAC does not look
    elif not name and _NAME in query:
        name = _name_in(query)
    yield Call(verb, group, resource, namespace, name)
    if code == _CREATED and verb in {"patch", "update"}:
        yield Call("create", group, resource, namespace)  # asked, too, as there was no object


def merged_calls(several: Iterable[Calls]) -> Calls:
    """Return the calls of *several* as one."""
    merged: Calls = {}
    for calls in several:
        for call, trace in calls.items():
            known = merged.setdefault(call, Trace(0, trace.test, trace.place))
            known.count += trace.count
    return merged


def encode_calls(calls: Mapping[Call, Trace]) -> bytes:
    """Return *calls* as a text that `decode_calls` reads."""
    return msgspec.json.encode([_Line(*one) for one in calls.items()])


def decode_calls(text: bytes, *, place: str) -> Calls:
    """Return the calls in *text*.

    Raises:
        ConfigError: It is not a list of calls; the message names *place*.
    """
    try:
        lines = msgspec.json.decode(text, type=list[_Line])
    except msgspec.DecodeError as error:
        raise ConfigError(f"{place} is not a record of calls: {error}") from error
    return {line.call: line.trace for line in lines}


def _name_in(query: str) -> str:
    """Return the name that a field selector asks for, as the API server finds it."""
    for selector in parse_qs(query).get("fieldSelector", ()):
        for term in selector.split(","):
            field, equals, value = term.partition("=")
            if field == _NAME and equals:
                return value.removeprefix("=")
    return ""

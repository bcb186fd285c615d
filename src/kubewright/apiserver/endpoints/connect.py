"""CONNECT: exec, attach, portforward and proxy. Admission is asked before they begin."""

from typing import Any
from urllib.parse import parse_qs, quote, urlencode

from msgspec import structs

from kubewright.apiserver.backend import Call
from kubewright.apiserver.endpoints import commit
from kubewright.apiserver.meta import status
from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.wire.route import is_true, parse_query

CONNECTS: frozenset[str] = frozenset({"exec", "attach", "portforward", "proxy"})
"""The subresources that are connected to; others, such as logs, are read."""

_STREAMS: dict[str, type] = {
    **dict.fromkeys(("stdin", "stdout", "stderr", "tty"), bool),
    "container": str,
}
_FIELDS: dict[str, dict[str, type]] = {
    "exec": {**_STREAMS, "command": list},
    "attach": _STREAMS,
    "portforward": {"ports": list},
    "proxy": {"path": str},
}
_LARGEST, _LONGEST = 65535, 20  # of a port: as a number, and as digits


async def admit(call: Call) -> Call:
    """Ask admission whether a connection may be made; return the call as admission changed it.

    Raises:
        StatusError: It may not, or the options of the request make no sense.
    """
    if "dryRun" in call.query:
        raise status.bad_request("dryRun is not supported")
    admission, options = call.backend.admission, _options(call)
    asked = commit.attributes(call, "CONNECT", options, None, dry_run=False, options=None)
    await admission.admit(asked)
    await admission.validate(asked)
    assert asked.object is not None
    changed = _checked(call.subresource, asked.object)
    return _with_path(call, changed) if call.subresource == "proxy" else _with(call, changed)


def _options(call: Call) -> Obj:
    """Return what is asked for in the shape of an object, as Go writes it."""
    kind = call.work.kind_of(call.subresource)[2]
    found: Obj = {"kind": kind, "apiVersion": "v1"}
    if call.subresource == "proxy":
        path = _path(call)
        return {**found, "path": path} if path else found
    said = parse_qs(call.request.query, keep_blank_values=True)
    for name, sort in _FIELDS[call.subresource].items():
        value = _read(sort, said.get(name, [])) if name != "ports" else _ports(said.get(name, []))
        if value:
            found[name] = value
    if call.subresource == "exec":
        found.setdefault("command", None)
    return found


def _path(call: Call) -> str:
    rest = call.route.rest
    path = f"/{rest}" if rest else ""
    return f"{path}/" if call.route.path.endswith("/") else path


def _read(sort: type, values: list[str]) -> Any:
    if sort is list:
        return values
    first = values[0] if values else ""
    return is_true(first) if sort is bool else first


def _ports(values: list[str]) -> list[int]:
    return [_port(text) for value in values for text in value.split(",")]


def _port(text: str) -> int:
    if not (text.isascii() and text.isdecimal()):
        why = "invalid syntax"
    elif len(text) > _LONGEST or int(text) > _LARGEST:
        why = "value out of range"
    else:
        return int(text)
    said = f'strconv.ParseUint: parsing "{text}": {why}'
    raise status.bad_request(f"cannot convert to []int32: {said}")


def _checked(subresource: str, options: Obj) -> Obj:
    """Return what admission made of the options; it can have put anything into them."""
    found = {name: options[name] for name in _FIELDS[subresource] if options.get(name) is not None}
    for name, value in found.items():
        if not _fits(value, _FIELDS[subresource][name], int if name == "ports" else str):
            said = f"admission made {name} of a {options.get('kind')} something that it cannot be"
            raise status.internal_error(said)
    return found


def _fits(value: Any, sort: type, item: type) -> bool:
    if not isinstance(value, list):
        return type(value) is sort
    return sort is list and all(type(one) is item for one in value)


def _with(call: Call, options: Obj) -> Call:
    """Return the call with these options: whoever answers it does what admission has seen."""
    shown = {
        name: str(value).lower() if isinstance(value, bool) else value
        for name, value in options.items()
    }
    query = urlencode(shown, doseq=True)
    request = structs.replace(call.request, query=query)
    return structs.replace(call, request=request, query=parse_query(query))


def _with_path(call: Call, options: Obj) -> Call:
    path = options.get("path", "")
    path = f"/{path.removeprefix('/')}" if path else ""
    if path == _path(call):
        return call
    route = call.route
    place = f"/namespaces/{route.namespace}" if call.namespace else ""
    whole = f"/api/{route.version}{place}/{route.resource}/{quote(route.name, safe=':')}/proxy"
    request = structs.replace(call.request, path=whole + quote(path))
    moved = structs.replace(route, path=whole + path, rest=path.strip("/"))
    return structs.replace(call, request=request, route=moved)

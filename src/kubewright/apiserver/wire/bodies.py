"""Reads what clients send, checks it against its kind, and cuts it to its schema."""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from kubewright.apiserver.backend import Call
from kubewright.apiserver.meta import field, status
from kubewright.apiserver.meta.names import GroupKind
from kubewright.apiserver.registry.resource import Resource
from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.schema.conform import conform
from kubewright.apiserver.schema.duplicates import may_repeat, repeats, strict_problems
from kubewright.apiserver.schema.prune import fit
from kubewright.apiserver.wire.options import FieldValidation
from kubewright.apiserver.wire.request import Request

PROTOBUF: str = "application/vnd.kubernetes.protobuf"
READABLE: tuple[str, ...] = ("application/json", "application/yaml", PROTOBUF)
YAML_PROBLEM: str = "yaml: unmarshal errors:"
SUMMARY_LIMIT: int = 30  # bytes of a body that an error shows

_decode = msgspec.json.Decoder().decode


def media_type(request: Request) -> str:
    """Return the media type of the body, without parameters."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def read_document(request: Request, resource: Resource | None = None) -> Any:
    """Return the body as a tree; an object of *resource*, where that is known.

    Raises:
        StatusError: It is in a format that we do not read, or broken.
    """
    media = media_type(request)
    if media in ("", "application/json"):
        return _parse_object(request.body, resource) if resource else parse_json(request.body)
    if media == "application/yaml":
        return parse_yaml(request.body)
    if media == PROTOBUF:
        return parse_protobuf(request.body, resource)
    raise status.unsupported_media_type(READABLE)


def parse_json(body: bytes) -> Any:
    """Return JSON as a tree.

    Raises:
        StatusError: It is broken (400).
    """
    try:
        return _decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise status.bad_request(
            f"couldn't get version/kind; json parse error: {_json_problem(body, error)}"
        ) from None


def _parse_object(body: bytes, resource: Resource) -> Any:
    try:
        return parse_json(body)
    except status.StatusError as error:
        raise status.bad_request(
            f"the object provided is unrecognized (must be of type {resource.kind}):"
            f" {error.message} ({_summary(body)})"
        ) from None


def _summary(body: bytes) -> str:
    """Return the beginning of a body as the real server shows it."""
    shown = body[:SUMMARY_LIMIT]
    text = shown.decode(errors="replace") if body.startswith(b"{") else shown.hex()
    return (f"{text} ..." if len(body) > SUMMARY_LIMIT else text) or "<empty>"


def _json_problem(body: bytes, error: Exception) -> str:
    from kubewright.apiserver.wire import json_syntax

    return json_syntax.problem(body) or str(error)


def parse_yaml(body: bytes, repeated: list[str] | None = None) -> Any:
    """Return YAML, of which JSON is a part, as a tree.

    Args:
        body: The document.
        repeated: Gets a text for each key that is there twice, as Go's YAML library words it.

    Raises:
        StatusError: It is broken (400).
    """
    try:
        document = _decode(body)
        if repeated is None or not repeats(body, document):
            return document
    except RecursionError as error:
        raise status.bad_request(f"error decoding YAML: {error}") from None
    except (msgspec.DecodeError, UnicodeDecodeError):
        pass
    import yaml

    from kubewright.apiserver.wire import yaml_format

    try:
        return yaml_format.load(body, repeated)
    except (yaml.YAMLError, UnicodeDecodeError, ValueError, RecursionError) as error:
        raise status.bad_request(f"error decoding YAML: {error}") from None


def parse_protobuf(body: bytes, resource: Resource | None = None) -> Any:
    """Return an object in protobuf as a tree.

    Raises:
        StatusError: It is broken, or of a kind that has no such form (400).
    """
    from kubewright.apiserver.wire import protobuf

    if resource is None:
        return protobuf.decode(body)
    expected = (resource.group, resource.version, resource.kind)
    return protobuf.decode(body, expected, custom=resource.custom)


def read_object(call: Call, validation: FieldValidation) -> Obj:
    """Return the object in the body, of the kind and version of the URL.

    Raises:
        StatusError: It is broken, of another kind, or has fields that must not be there.
    """
    media, body, repeated = media_type(call.request), call.request.body, list[str]()
    if media == "application/yaml" and validation != "Ignore":
        document = parse_yaml(body, repeated)
    else:
        document = read_document(call.request, call.resource)
    return checked(
        call,
        document,
        call.resource,
        validation=validation,
        body=body if media in ("", "application/json") else b"",
        repeated=repeated,
    )


def checked(
    call: Call,
    document: Any,
    resource: Resource,
    *,
    validation: FieldValidation = "Warn",
    body: bytes = b"",
    repeated: Sequence[str] = (),
) -> Obj:
    """Return *document* as an object of *resource*, cut to its schema.

    Args:
        call: The request.
        document: What was sent.
        resource: What it must be.
        validation: What to do about fields that must not be there.
        body: The same as JSON, in which a key may be there twice.
        repeated: What YAML has twice.
    """
    sent = len(document) if isinstance(document, dict) else 0
    obj = typed(document, resource)
    added = len(obj) - sent  # set by `typed` if the kind was left out: not a key of the body
    unknown, keys = cut(obj, resource)
    keys -= added
    if validation != "Ignore":
        if body and may_repeat(body, keys):
            problems = strict_problems(body, unknown, custom=resource.custom)
        else:
            problems = [f'unknown field "{path}"' for path in unknown]
        if repeated:  # keys of YAML are sorted before they are checked
            problems = [yaml_problem(repeated), *sorted(problems)]
        if problems:
            _report(call, problems, resource, validation)
    return obj


def _report(
    call: Call, problems: list[str], resource: Resource, validation: FieldValidation
) -> None:
    if validation == "Strict":
        listed = ", ".join(problems)
        raise status.bad_request(
            f'{resource.kind} in version "{resource.version}" cannot be handled as a'
            f" {resource.kind}: strict decoding error: {listed}"
        )
    warn(call, problems)


def yaml_problem(repeated: Sequence[str]) -> str:
    """Return the one error that Go makes of all keys that are twice in a YAML document."""
    return "\n  ".join([YAML_PROBLEM, *repeated])


def warn(call: Call, problems: Iterable[str]) -> None:
    """Warn of what strict validation would have refused, one warning for each."""
    for text in problems:
        _, several, lines = text.partition(f"{YAML_PROBLEM}\n")
        for line in lines.split("\n") if several else [text]:
            call.warn(line.strip())


def cut(obj: Obj, resource: Resource) -> tuple[list[str], int]:
    """Remove fields that the schema does not have; return their paths, and the number of keys."""
    shape = resource.schema()
    found = fit(obj, shape) if resource.custom else conform(obj, shape)
    return found.unknown, found.keys


def typed(document: Any, resource: Resource) -> Obj:
    """Return *document* if it is, or may be, of the kind of *resource*.

    Raises:
        StatusError: It is of another kind.
    """
    kind = resource.kind
    if not isinstance(document, dict):
        raise status.bad_request(
            f"the object provided is unrecognized (must be of type {kind}): couldn't get"
            f" version/kind; json parse error: json: cannot unmarshal {json_type(document)} into Go"
            ' value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind'
            ' string "json:\\"kind,omitempty\\"" }'
        )
    version = document.get("apiVersion")
    if resource.custom:
        _check_custom(document, resource)
    elif document.get("kind") and document["kind"] != kind:
        raise status.bad_request(
            f'{document["kind"]} in version "{str(version or "").rpartition("/")[2]}" cannot be'
            f" handled as a {kind}: the object provided is unrecognized (must be of type {kind})"
        )
    if version and version != resource.api_version:
        raise status.bad_request(
            f"the API version in the data ({version}) does not match the expected API version"
            f" ({resource.api_version})"
        )
    metadata = document.get("metadata")
    document["apiVersion"], document["kind"] = resource.api_version, resource.kind
    if metadata is None:
        document["metadata"] = {}
    return document


def _check_custom(document: Obj, resource: Resource) -> None:
    """Refuse a custom object that does not say its kind, or says another."""
    for name, word in (("kind", "Kind"), ("apiVersion", "apiVersion")):
        if not document.get(name):
            shown = msgspec.json.encode(document).decode()
            raise status.bad_request(
                f"the object provided is unrecognized (must be of type {resource.kind}): Object"
                f" '{word}' is missing in '{shown}'"
            )
    if document["kind"] != resource.kind and document["apiVersion"] == resource.api_version:
        wrong = field.invalid("kind", document["kind"], f"must be {resource.kind}")
        meta = document.get("metadata")
        name = meta.get("name", "") if isinstance(meta, dict) else ""
        kind = GroupKind(resource.group, str(document["kind"]))
        raise status.invalid(kind, name, [wrong])


def json_type(document: Any) -> str:
    """Return what Go calls the type of a JSON value."""
    names = {dict: "object", list: "array", str: "string", bool: "bool", type(None): "null"}
    return names.get(type(document), "number")

"""The envelope around a message: what marks it as Kubernetes', and which kind it is."""

from typing import Any

from kubewright.apiserver.meta import status
from kubewright.apiserver.meta.names import api_version
from kubewright.apiserver.schema import definitions
from kubewright.apiserver.wire.protobuf import wire
from kubewright.apiserver.wire.protobuf.message import read
from kubewright.apiserver.wire.protobuf.special import text
from kubewright.apiserver.wire.protobuf.wire import BYTES, WireError, expect

PREFIX: bytes = b"k8s\0"
SCHEME: str = "pkg/api/legacyscheme/scheme.go:30"
SHOWN: int = 30  # bytes of a body that cannot be read
# Options of a deletion are in every group, those of custom resources included.
DELETE_OPTIONS: str = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions"

Kind = tuple[str, str, str]
"""A group, a version and a kind."""


def decode(body: bytes, expected: Kind | None = None, *, custom: bool = False) -> dict[str, Any]:
    """Return the object in *body* as a tree.

    Args:
        body: The envelope with all that is in it.
        expected: What the object is if the envelope does not say; also named in refusals.
        custom: Whether that is a custom resource, which has no message that one could send.

    Raises:
        StatusError: It is broken, or of a kind that has no message (400).
    """
    try:
        written, raw = _open(body)
    except WireError as error:
        raise _unrecognized(body, str(error), expected) from None
    kind = _completed(written, expected or ("", "", ""))
    if custom:
        why = "Object 'Kind' is missing in 'object has no kind field '"
        raise _unreadable(kind, why, expected)
    try:
        return _read(kind, raw)
    except (WireError, RecursionError) as error:
        raise _unreadable(kind, str(error), expected) from None


def _read(kind: Kind, raw: bytes) -> dict[str, Any]:
    group, version, name = kind
    message = DELETE_OPTIONS if name == "DeleteOptions" else definitions.kinds().get(kind)
    if not name:
        raise WireError(
            "Object 'Kind' is missing in 'runtime.TypeMeta{APIVersion:\"\", Kind:\"\"}'"
        )
    if message is None:
        raise WireError(
            f'no kind "{name}" is registered for version "{api_version(group, version)}" in scheme'
            f' "{SCHEME}"'
        )
    head = {"kind": name, "apiVersion": api_version(group, version)}
    found: dict[str, Any] = read(raw, message, into=head)
    return found


def _open(body: bytes) -> tuple[Kind, bytes]:
    """Return the kind that is written on the envelope, and the message in it."""
    if not body:
        raise WireError("empty data")
    if not body.startswith(PREFIX):
        shown = " ".join(map(str, PREFIX))
        raise WireError(
            f"provided data does not appear to be a protobuf message, expected prefix [{shown}]"
        )
    if len(body) == len(PREFIX):
        raise WireError("empty body")
    kind: Kind = ("", "", "")
    raw = b""
    for number, wire_type, value in wire.fields(body[len(PREFIX) :], "Unknown"):
        if number == 1:
            kind = _type_meta(expect(BYTES, wire_type, value, "typeMeta"))
        elif number == 2:  # noqa: PLR2004  # the message
            raw = expect(BYTES, wire_type, value, "raw")
    return kind, raw


def _type_meta(data: bytes) -> Kind:
    found = {1: "", 2: ""}
    for number, wire_type, value in wire.fields(data, "TypeMeta"):
        if number in found:
            name = "APIVersion" if number == 1 else "kind"
            found[number] = text(expect(BYTES, wire_type, value, name))
    group, _, version = found[1].rpartition("/")
    # Kubernetes takes a version with more than one slash for none at all.
    return ("", "", found[2]) if "/" in group else (group, version, found[2])


def _completed(kind: Kind, expected: Kind) -> Kind:
    group, version, name = kind
    if not version:
        group, version = expected[:2]
    return group, version, name or expected[2]


def _unreadable(kind: Kind, why: str, expected: Kind | None) -> status.StatusError:
    if expected is None:
        return status.bad_request(why)
    _, version, name = kind
    return status.bad_request(
        f'{name} in version "{version}" cannot be handled as a {expected[2]}: {why}'
    )


def _unrecognized(body: bytes, why: str, expected: Kind | None) -> status.StatusError:
    if expected is None:
        return status.bad_request(why)
    return status.bad_request(
        f"the object provided is unrecognized (must be of type {expected[2]}): {why}"
        f" ({_summary(body)})"
    )


def _summary(body: bytes) -> str:
    if not body:
        return "<empty>"
    shown = body[:SHOWN]
    start = text(shown) if body.startswith(b"{") else shown.hex()
    return f"{start} ..." if len(body) > SHOWN else start

"""Tests of `kubewright.apiserver.wire.protobuf.envelope`."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.apiserver.meta.status import StatusError
from kubewright.apiserver.wire.protobuf import decode
from tests.unit.apiserver.wire.protobuf.encoder import entry, envelope, field

CONFIG_MAP = ("", "v1", "ConfigMap")
NAMED = field(1, field(1, "a"))


def refusal(body: bytes, *, expected: tuple[str, str, str] | None = CONFIG_MAP) -> str:
    with pytest.raises(StatusError) as caught:
        decode(body, expected)
    assert caught.value.code == 400
    return caught.value.message


def test_an_envelope_becomes_an_object_with_its_kind() -> None:
    """The kind is on the envelope only, and JSON has it in the object."""
    body = envelope("v1", "ConfigMap", NAMED, entry(2, "k", "v"))

    assert decode(body) == {
        "kind": "ConfigMap",
        "apiVersion": "v1",
        "metadata": {"name": "a"},
        "data": {"k": "v"},
    }


@pytest.mark.parametrize(
    ("api_version", "kind"), [("", ""), ("v1", ""), ("", "ConfigMap"), ("a/b/c", "ConfigMap")]
)
def test_what_the_envelope_does_not_say_is_the_expected_kind(api_version: str, kind: str) -> None:
    """Kubernetes fills in the kind of the URL."""
    found = decode(envelope(api_version, kind, NAMED), CONFIG_MAP)

    assert (found["apiVersion"], found["kind"]) == ("v1", "ConfigMap")


@pytest.mark.parametrize("group", ["v1", "meta.k8s.io/v1", "apps.example.com/v1"])
def test_options_of_a_deletion_are_read_in_every_group(group: str) -> None:
    """Clients name them after the group of what they delete."""
    body = envelope(group, "DeleteOptions", field(1, 0), field(4, "Background"), field(5, "All"))

    found = decode(body)

    assert found["gracePeriodSeconds"] == 0
    assert (found["propagationPolicy"], found["dryRun"]) == ("Background", ["All"])


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"", "empty data (<empty>)"),
        (b"k8s\0", "empty body (6b387300)"),
        (
            b'{"a":1}',
            (
                "provided data does not appear to be a protobuf message, expected prefix"
                ' [107 56 115 0] ({"a":1})'
            ),
        ),
        (
            b"k8s\0\x0a\x02\x0c\0",
            "proto: TypeMeta: wiretype end group for non-group (6b3873000a020c00)",
        ),
        (b"k8s\0\x12\x7f" + b"a" * 40, "unexpected EOF (6b387300127f" + "61" * 24 + " ...)"),
        (b"k8s\0\x08\x01", "proto: wrong wireType = 0 for field TypeMeta (6b3873000801)"),
    ],
)
def test_a_broken_envelope_is_unrecognized(body: bytes, why: str) -> None:
    """The refusal says what was expected and shows how the body begins."""
    start = "the object provided is unrecognized (must be of type ConfigMap): "

    assert refusal(body) == start + why


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (
            envelope("v1", "Nope", NAMED),
            (
                'Nope in version "v1" cannot be handled as a ConfigMap: no kind "Nope" is'
                ' registered for version "v1" in scheme "pkg/api/legacyscheme/scheme.go:30"'
            ),
        ),
        (
            envelope("x.io/v1", "ConfigMap", NAMED),
            (
                'ConfigMap in version "v1" cannot be handled as a ConfigMap: no kind "ConfigMap" is'
                ' registered for version "x.io/v1" in scheme "pkg/api/legacyscheme/scheme.go:30"'
            ),
        ),
        (
            envelope("v1", "ConfigMap", NAMED[:-1]),
            'ConfigMap in version "v1" cannot be handled as a ConfigMap: unexpected EOF',
        ),
    ],
)
def test_a_message_that_cannot_be_read_is_refused_by_its_kind(body: bytes, why: str) -> None:
    """These are the texts of the real server."""
    assert refusal(body) == why


def test_a_refusal_names_no_kind_where_none_is_expected() -> None:
    """Deletions get the bare reason, as from the real server."""
    broken = envelope("v1", "DeleteOptions", field(1, ""))

    assert refusal(b"", expected=None) == "empty data"
    assert refusal(broken, expected=None) == (
        "proto: wrong wireType = 2 for field GracePeriodSeconds"
    )
    assert refusal(envelope("", "", NAMED), expected=None).startswith("Object 'Kind' is missing")


def test_custom_resources_cannot_be_sent_as_protobuf() -> None:
    """There is no message for them; the real server says so in these words."""
    expected = ("example.com", "v1", "Shop")

    with pytest.raises(StatusError) as caught:
        decode(envelope("example.com/v1", "Shop", NAMED), expected, custom=True)

    assert caught.value.message == (
        'Shop in version "v1" cannot be handled as a Shop:'
        " Object 'Kind' is missing in 'object has no kind field '"
    )


@given(st.binary(max_size=200), st.booleans())
def test_any_body_is_an_object_or_a_refusal(body: bytes, prefixed: bool) -> None:
    """Nothing that a client sends ends in a crash."""
    try:
        found = decode(b"k8s\0" + body if prefixed else body, CONFIG_MAP)
    except StatusError as error:
        assert error.code == 400  # noqa: PT017  # either outcome is right
    else:
        assert found["kind"]

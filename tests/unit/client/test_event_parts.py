"""The parts of an event: references, names, and words that the server accepts."""

import re
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.api.meta import ObjectMeta
from kubewright.api.unstructured import Unstructured
from kubewright.client.event_parts import (
    check_length,
    check_words,
    event_name,
    reference_to,
    shortened,
)
from kubewright.kinds.core.v1 import Node, Pod


def test_a_reference_says_which_object_and_in_which_version() -> None:
    """`kubectl describe` finds events by name, namespace and uid."""
    pod = Pod(metadata=ObjectMeta(name="web", namespace="shop", uid="u", resource_version="7"))

    found = reference_to(pod, home="home", field_path="spec.containers{main}")

    assert (found.api_version, found.kind, found.namespace, found.name) == (
        "v1", "Pod", "shop", "web",
    )  # fmt: skip
    assert (found.uid, found.resource_version) == ("u", "7")
    assert found.field_path == "spec.containers{main}"


def test_an_object_without_a_namespace_is_where_the_client_would_look_for_it() -> None:
    """A kind that has no namespaces stays without one."""
    meta = ObjectMeta(name="a")

    assert reference_to(Pod(metadata=meta), home="home").namespace == "home"
    assert reference_to(Node(metadata=meta), home="home").namespace == ""


def test_an_object_without_a_class_can_be_referred_to() -> None:
    """The dynamic client records events, too."""
    shop = Unstructured(
        apiVersion="example.com/v1", kind="Shop", metadata={"name": "a", "namespace": "n"}
    )

    assert reference_to(shop, home="home").identity == ("example.com/v1", "Shop", "n", "a", "")


@pytest.mark.parametrize(
    "obj",
    [Pod(metadata=ObjectMeta(generate_name="web-")), Unstructured(metadata={"name": "a"})],
    ids=["no name", "no kind"],
)
def test_what_does_not_say_what_it_is_is_refused(obj: Pod | Unstructured) -> None:
    """Nobody would ever find the event."""
    with pytest.raises(ValueError, match="Use the object that the server returned"):
        reference_to(obj, home="home")


def test_a_name_is_the_subject_and_the_time() -> None:
    """As client-go names them; `kubectl get events` sorts them so."""
    assert event_name("web", 0x17A) == "web.17a"


@pytest.mark.parametrize("subject", ["system:node", "a" * 253, "Größe"])
def test_a_subject_that_makes_no_valid_name_gives_a_uuid(subject: str) -> None:
    """RBAC objects have names that Events cannot have."""
    name = event_name(subject, 1)

    assert str(UUID(name)) == name


@pytest.mark.parametrize("message", ["", "short", "x" * 1024, "é" * 512])
def test_a_message_that_fits_is_left_alone(message: str) -> None:
    """The limit itself is allowed."""
    assert shortened(message) == message


@given(st.text(st.characters(exclude_categories=())), st.integers(0, 3000))
def test_any_message_becomes_one_that_the_server_accepts(text: str, times: int) -> None:
    """Output of broken programs ends up in messages, half characters included."""
    message = (text * times)[:5000]

    found = shortened(message)

    assert len(found.encode()) <= 1024
    assert found.endswith("…") or len(found) == len(message)


def test_a_message_is_cut_between_characters() -> None:
    """Half of a character is not text; and the reader sees that something is missing."""
    assert shortened("€" * 400) == "€" * 340 + "…"


@pytest.mark.parametrize("reason", ["", "two words", "lower", "With-Dash", "Ü", "A" * 129, "A\n"])
def test_a_reason_that_is_no_word_is_refused(reason: str) -> None:
    """Dashboards and alerts select by it."""
    with pytest.raises(ValueError, match="reason"):
        check_words("Normal", reason, "")


def test_a_reason_is_explained() -> None:
    """The message is the fix."""
    expected = (
        "'it broke' is not a reason for an event: write one word in CamelCase, such as"
        " 'ScalingFailed', and put the rest into the message"
    )

    with pytest.raises(ValueError, match=f"^{re.escape(expected)}$"):
        check_words("Normal", "it broke", "")


@pytest.mark.parametrize("kind", ["", "normal", "Error"])
def test_there_are_two_types(kind: str) -> None:
    """The server refuses any other, long after the line that said it."""
    with pytest.raises(ValueError, match="'Normal' or 'Warning'"):
        check_words(kind, "Fine", "")


def test_good_words_pass() -> None:
    """At the limit, and without an action."""
    check_words("Warning", "A" * 128, "")
    check_words("Normal", "Scaled2", "Scale")


def test_lengths_are_bytes() -> None:
    """As the server counts them."""
    with pytest.raises(ValueError, match="the action of an event has 0 to 128 bytes"):
        check_length("action", "é" * 65)
    with pytest.raises(ValueError, match="the instance of an event has 1 to 128 bytes"):
        check_length("instance", "", at_least=1)

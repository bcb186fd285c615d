"""What was changed in an object since it was read."""

import copy
import json
import pickle
from datetime import UTC, datetime
from typing import Any

import pytest

from kubewright._json import to_builtins
from kubewright.api.changes import (
    applied_document,
    mark_partial,
    merge_patch,
    merge_patch_within,
    original,
    partial_of,
    updated_document,
)
from kubewright.api.meta import LabelSelector, ObjectMeta
from kubewright.api.model import Model, field
from kubewright.api.resource import Resource, read, resource
from kubewright.api.unstructured import Unstructured
from kubewright.kinds.core.v1 import ConfigMap, Pod, PodCondition

RAW: dict[str, Any] = {
    "metadata": {"name": "web", "resourceVersion": "7", "labels": None},
    "spec": {"containers": [{"name": "a", "unknown": 1}]},
    "unknown": {"deep": None},
}


def pod() -> Pod:
    return read(json.dumps(RAW).encode(), Pod)


def test_an_unchanged_object_is_what_was_read() -> None:
    """Nulls and unknown fields included; only what it is is added."""
    assert updated_document(pod()) == {"apiVersion": "v1", "kind": "Pod", **RAW}
    assert merge_patch(pod()) == {}


def test_an_object_that_was_not_read_is_sent_as_it_is() -> None:
    """There is nothing else to send."""
    made = ConfigMap(metadata=ObjectMeta(name="a"), data={"k": "v"})

    assert original(made) is None
    assert updated_document(made)["data"] == {"k": "v"}


def test_a_changed_field_is_the_patch() -> None:
    """And nothing else."""
    changed = pod()
    changed.metadata.labels["app"] = "web"

    assert merge_patch(changed) == {"metadata": {"labels": {"app": "web"}}}


def test_a_patch_of_some_members_is_that_part_of_the_whole_one() -> None:
    """Also where the class does not know all fields; other members are left out."""
    before, changed = to_builtins(pod()), pod()
    changed.spec.containers[0].image = "nginx"
    changed.metadata.labels["app"] = "web"

    found = merge_patch_within(changed, ["spec", "kind"], before, to_builtins(changed))

    assert found == {"spec": merge_patch(changed)["spec"]}


def test_a_patch_of_some_members_needs_an_object_that_was_read() -> None:
    """There is nothing to compare it with."""
    made = ConfigMap(metadata=ObjectMeta(name="a"))

    with pytest.raises(ValueError, match="was not read from a server"):
        merge_patch_within(made, ["data"], {}, {})


def test_a_removed_field_is_null_in_the_patch() -> None:
    """A merge patch has no other word for it."""
    raw = {"metadata": {"name": "a"}, "data": {"k": "v", "l": "w"}}
    changed = read(json.dumps(raw).encode(), ConfigMap)
    del changed.data["k"]

    assert merge_patch(changed) == {"data": {"k": None}}


def test_a_part_that_becomes_empty_keeps_what_the_class_does_not_know() -> None:
    """Only the field that was cleared goes."""
    raw = {"metadata": {"name": "a"}, "spec": {}, "status": {"phase": "Running", "unknown": 1}}
    changed = read(json.dumps(raw).encode(), Pod)

    changed.status.phase = None

    assert updated_document(changed)["status"] == {"unknown": 1}


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda p: pickle.loads(pickle.dumps(p))]
)
def test_a_copy_remembers_where_it_came_from(copied: Any) -> None:
    """Who changes a copy to keep the original must not lose unknown fields by it."""
    twin = copied(pod())

    twin.spec.containers[0].image = "nginx"

    assert updated_document(twin)["spec"]["containers"] == [
        {"name": "a", "unknown": 1, "image": "nginx"}
    ]
    assert updated_document(twin)["unknown"] == {"deep": None}


def test_a_deep_copy_is_apart_from_its_original() -> None:
    """A change of the one is not a change of the other."""
    first = pod()

    copy.deepcopy(first).metadata.labels["app"] = "web"

    assert first.metadata.labels == {}


def test_an_unstructured_object_compares_with_what_was_read() -> None:
    """It is a dict, but it remembers, too."""
    found = Unstructured.read(json.dumps(RAW).encode())
    found["spec"]["extra"] = 1

    assert merge_patch(found) == {"spec": {"extra": 1}}
    assert merge_patch(found, optimistic=True)["metadata"] == {"resourceVersion": "7"}


def test_an_optimistic_patch_of_nothing_is_nothing() -> None:
    """A version alone is no change."""
    assert merge_patch(pod(), optimistic=True) == {}


@pytest.mark.parametrize("send", [updated_document, applied_document])
def test_a_time_without_a_zone_is_refused_by_its_path(send: Any) -> None:
    """The server would only say that it is no date-time."""
    made = Pod(metadata=ObjectMeta(name="a"))
    made.status.conditions = [PodCondition(type="Ready", status="True")]
    made.status.conditions[0].last_transition_time = datetime(2026, 1, 1, 12)  # noqa: DTZ001  # the mistake
    made.metadata.creation_timestamp = datetime(2026, 1, 1, tzinfo=UTC)

    with pytest.raises(ValueError, match=r"Pod 'a': status\.conditions\[0\]\.last_transition_time"):
        send(made)


def test_a_text_that_looks_like_a_time_is_a_text() -> None:
    """Only times have zones."""
    made = ConfigMap(metadata=ObjectMeta(name="a"), data={"at": "2026-01-01T12:00:00"})

    assert updated_document(made)["data"] == {"at": "2026-01-01T12:00:00"}


def test_a_set_has_no_order_that_could_change() -> None:
    """A copy of a set may be written in another order; that is no change."""
    raw = json.dumps({"metadata": {"name": "a"}, "tags": [f"t{n}" for n in range(50)]}).encode()
    first = read(raw, Tagged)

    again = copy.deepcopy(first)
    again.tags.add("x")
    again.tags.discard("x")

    assert merge_patch(again) == {}
    assert merge_patch(pickle.loads(pickle.dumps(first))) == {}


def test_an_empty_part_that_was_asked_for_is_sent() -> None:
    """An empty selector selects everything; leaving it out selects nothing."""
    made = Tagged(metadata=ObjectMeta(name="a"), selector=LabelSelector(), part=Part())

    sent = updated_document(made)

    assert sent["selector"] == {}
    assert sent["part"] == {}
    assert "usual" not in sent


class Part(Model):
    size: int | None = None


@resource(group="example.com", version="v1")
class Tagged(Resource):
    tags: set[str] = set()
    selector: LabelSelector | None = None
    part: Part | None = None
    usual: Part = field(default_factory=Part)


@pytest.mark.parametrize(
    "part", [pod(), Unstructured.read(json.dumps({**RAW, "kind": "Pod"}).encode())]
)
def test_a_part_of_an_object_is_not_sent_whole(part: Pod | Unstructured) -> None:
    """The server would remove what is missing; the message says what to do instead."""
    mark_partial(part, "it comes from a cache that dropped some of it")

    with pytest.raises(ValueError) as refused:  # noqa: PT011  # the whole text is checked below
        updated_document(part)

    assert str(refused.value) == (
        "cannot send Pod 'web' whole: it comes from a cache that dropped some of it, and the server"
        " would remove what is missing. Send only what changed, with client.patch(obj) or"
        " client.apply, or read the object with client.live first."
    )


def test_what_changed_in_a_part_can_be_sent() -> None:
    """A patch leaves alone what it does not name."""
    part = pod()
    mark_partial(part, "it comes from a cache that dropped some of it")
    part.metadata.labels["app"] = "web"

    assert merge_patch(part) == {"metadata": {"labels": {"app": "web"}}}


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_a_copy_of_a_part_is_a_part(copied: Any) -> None:
    """Otherwise copying would be a way to lose what the server has."""
    part = pod()
    mark_partial(part, "some of it is missing")

    assert partial_of(copied(part)) == "some of it is missing"
    assert not partial_of(pod())

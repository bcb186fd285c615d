"""One call of an author's function, and what becomes of the metadata."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
from msgspec.structs import replace

from kubewright.api import ObjectMeta
from kubewright.errors import ConversionError
from kubewright.webhook.conversion.metrics import PANICS
from kubewright.webhook.conversion.step import run_step
from tests.unit.webhook.conversion.shops import ShopV1, ShopV2, metadata


def converted_with(make: Callable[[ObjectMeta], Any], **more: Any) -> ObjectMeta:
    """Convert an object with a function that makes the metadata of its result with *make*."""
    source = ShopV2(metadata=metadata(**more))
    return run_step(lambda new: ShopV1(metadata=make(new.metadata)), source, ShopV1).metadata


def test_metadata_that_a_function_does_not_mention_is_kept() -> None:
    """The usual function builds a new object from the spec."""
    found = converted_with(lambda _: ObjectMeta(), labels={"a": "b"}, generation=3)

    assert found == metadata(labels={"a": "b"}, generation=3)


def test_labels_and_annotations_of_the_result_are_taken() -> None:
    """They are what a conversion may change."""
    said = ObjectMeta(labels={"c": "d"}, annotations={"e": "f"})

    found = converted_with(lambda _: said, labels={"a": "b"}, generation=3)

    assert found == metadata(labels={"c": "d"}, annotations={"e": "f"}, generation=3)


def test_annotations_alone_leave_the_labels() -> None:
    """Each of the two is taken where it is set."""
    said = ObjectMeta(annotations={"e": "f"})

    assert converted_with(lambda _: said, labels={"a": "b"}).labels == {"a": "b"}


def same(given: ObjectMeta) -> ObjectMeta:
    given.labels.clear()
    return given


def copied(given: ObjectMeta) -> ObjectMeta:
    return same(deepcopy(given))


@pytest.mark.parametrize("make", [same, copied])
def test_the_last_label_can_be_removed(make: Callable[[ObjectMeta], Any]) -> None:
    """Metadata that came from the object says what it means, even when it is empty."""
    assert converted_with(make, labels={"a": "b"}).labels == {}


def test_a_function_that_names_the_object_again_is_understood() -> None:
    """Some build the metadata by hand, and mean no harm to the labels."""
    said = ObjectMeta(name="corner", namespace="town")

    assert converted_with(lambda _: said, labels={"a": "b"}) == metadata(labels={"a": "b"})


@pytest.mark.parametrize("part", ["name", "namespace", "uid"])
def test_another_identity_is_refused(part: str) -> None:
    """It would be another object; Kubernetes refuses it with an error that says less."""
    with pytest.raises(ConversionError, match=rf"changed metadata.{part} from '.*' to 'other'"):
        converted_with(lambda _: replace(ObjectMeta(), **{part: "other"}))


def test_other_metadata_of_the_result_is_ignored() -> None:
    """Kubernetes would undo it."""
    said = ObjectMeta(generation=7, finalizers=["x"], resource_version="9")

    assert converted_with(lambda _: said, generation=3) == metadata(generation=3)


@pytest.mark.parametrize(
    ("labels", "told"),
    [({"a": 1}, "labels.'a'. is not text"), (["a"], "no dict")],
)
def test_labels_that_are_not_text_are_refused(labels: Any, told: str) -> None:
    """The server would refuse the whole review, without saying whose fault it is."""
    with pytest.raises(ConversionError, match=told):
        converted_with(lambda _: ObjectMeta(labels=labels))


def test_metadata_that_is_none_is_refused() -> None:
    """Python lets it through."""
    with pytest.raises(ConversionError, match="returned NoneType as metadata"):
        converted_with(lambda _: None)


@pytest.mark.parametrize(
    ("result", "told"),
    [(None, "returned nothing"), (ShopV2(), "example.com/v2 ShopV2"), ("x", "returned str")],
)
def test_a_result_of_another_class_is_refused(result: Any, told: str) -> None:
    """A forgotten return is the most common of these."""
    with pytest.raises(ConversionError, match=rf"must return a example.com/v1 ShopV1.*{told}"):
        run_step(lambda _: result, ShopV2(), ShopV1)


def test_the_result_says_the_version_that_it_is_in() -> None:
    """Whatever the function wrote there."""
    found = run_step(lambda _: ShopV1(api_version="example.com/v9", kind="X"), ShopV2(), ShopV1)

    assert (found.api_version, found.kind) == ("example.com/v1", "Shop")


def test_a_function_may_return_one_object_for_many() -> None:
    """A constant for whatever is empty, or a cache, must not fail from the second object on."""
    empty = ShopV1()

    first, second = (
        run_step(lambda _: empty, ShopV2(metadata=metadata(name, labels={"for": name})), ShopV1)
        for name in ("a", "b")
    )

    assert first.metadata == metadata("a", labels={"for": "a"})
    assert second.metadata == metadata("b", labels={"for": "b"})
    assert empty == ShopV1()


def test_a_function_that_raises_is_counted() -> None:
    """Alerts are built on controller-runtime's metric."""
    before = PANICS.value

    with pytest.raises(ZeroDivisionError):
        run_step(lambda _: 1 // 0, ShopV2(), ShopV1)

    assert PANICS.value == before + 1

"""What a user drops before objects are cached."""

import asyncio
import json
import logging
from typing import Any

import pytest

from kubewright.cache.head import head_of
from kubewright.cache.transform import Transform, transformed, without
from tests.unit.cache.objects import shop


def after(raw: bytes, transform: Transform) -> Any:
    return json.loads(transformed(raw, head_of(raw), transform)[0])


def test_a_transform_may_change_the_document_in_place() -> None:
    """Then it need not return it."""

    def drop(document: dict[str, Any]) -> None:
        del document["spec"]

    assert "spec" not in after(shop(spec={"a": 1}), drop)


def test_a_transform_may_return_another_document() -> None:
    """Then that one is kept."""
    found = after(shop(spec={"a": 1}), lambda d: {**d, "spec": {}})

    assert found["spec"] == {}


def test_the_head_is_that_of_the_transformed_object() -> None:
    """A selector must not find labels that a reader does not see."""
    raw = shop(labels={"app": "web"})

    _, head = transformed(raw, head_of(raw), without("metadata.labels"))

    assert head.labels == {}


def fails(document: dict[str, Any]) -> dict[str, Any]:
    raise KeyError("spec")


def renames(document: dict[str, Any]) -> None:
    document["metadata"]["name"] = "b"


def empties(document: dict[str, Any]) -> None:
    document.clear()


def is_cancelled(document: dict[str, Any]) -> None:
    raise asyncio.CancelledError


@pytest.mark.parametrize("transform", [fails, is_cancelled, renames, empties, lambda _: object()])
def test_an_object_is_kept_whole_if_its_transform_goes_wrong(
    transform: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """One odd object must not stop the stream, nor appear under another name; it is logged."""
    raw = shop("a", spec={"a": 1})

    with caplog.at_level(logging.ERROR):
        found, head = transformed(raw, head_of(raw), transform)

    assert (found, str(head.key)) == (raw, "x/a")
    assert "transform" in caplog.text
    assert "'x/a'" in caplog.text


def test_without_drops_paths_and_takes_what_is_not_there() -> None:
    """The same transform serves objects that lack some of the fields."""
    drop = without("spec.a", "metadata.annotations", "status.x.y", "spec.text.deeper")

    found = after(shop(spec={"a": 1, "b": 2, "text": "t"}, annotations={"c": "d"}), drop)

    assert found["spec"] == {"b": 2, "text": "t"}
    assert "annotations" not in found["metadata"]

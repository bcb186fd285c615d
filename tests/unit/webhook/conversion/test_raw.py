"""Objects as bytes, from one version to another."""

import json
from typing import Any

import msgspec
import pytest

from kubewright import _json
from kubewright.errors import ConversionError, DecodeError
from kubewright.webhook.conversion import Conversion
from kubewright.webhook.conversion.raw import Head, convert_raw
from tests.unit.webhook.conversion.shops import (
    ShopV1,
    ShopV2,
    document,
    shop_conversion,
    v1_to_v2,
    v2_to_v1,
)


def convert(sent: dict[str, Any], target: str, conversion: Conversion[Any] | None = None) -> Any:
    """Return *sent* in the version *target*, through bytes."""
    raw = msgspec.Raw(_json.encode(sent))
    head = _json.decode(raw, Head)
    found = convert_raw(conversion or shop_conversion(), raw, head, f"example.com/{target}")
    return json.loads(bytes(found))


def test_content_and_status_are_converted() -> None:
    """Both are part of the object."""
    sent = document(spec={"area": 3, "colour": "red"}, status={"state": "open"})

    found = convert(sent, "v1")

    assert found == document("v1", spec={"size": 3, "colour": "red"}, status={"open": True})


def test_metadata_stays_as_it_was_sent() -> None:
    """Kubernetes compares it, and newer servers have fields that we do not know."""
    sent = document(spec={"area": 1})
    sent["metadata"] |= {"new": {"a": [1]}, "creationTimestamp": None, "labels": {"a": "b"}}

    assert convert(sent, "v1")["metadata"] == sent["metadata"]


def test_changed_annotations_are_sent_and_the_rest_stays() -> None:
    """They are what a conversion may change."""
    conversion = Conversion(ShopV1)
    conversion.from_hub(ShopV2)(v1_to_v2)

    @conversion.to_hub(ShopV2)
    def to_v1(new: ShopV2) -> ShopV1:
        made = v2_to_v1(new)
        made.metadata.annotations["a"] = "b"
        return made

    sent = document(spec={"area": 1})
    sent["metadata"] |= {"new": 1, "labels": {"x": "y"}}

    found = convert(sent, "v1", conversion)["metadata"]

    assert found == sent["metadata"] | {"annotations": {"a": "b"}}


def test_the_last_annotation_is_removed_whole() -> None:
    """An empty map would be a change that nobody made."""
    conversion = Conversion(ShopV1)
    conversion.from_hub(ShopV2)(v1_to_v2)

    @conversion.to_hub(ShopV2)
    def to_v1(new: ShopV2) -> ShopV1:
        made = v2_to_v1(new)
        made.metadata = new.metadata
        made.metadata.annotations.clear()
        return made

    sent = document(spec={"area": 1})
    sent["metadata"]["annotations"] = {"a": "b"}

    assert convert(sent, "v1", conversion)["metadata"] == document()["metadata"]


def test_the_same_version_is_returned_to_the_byte() -> None:
    """Even with fields that the class does not know."""
    raw = msgspec.Raw(json.dumps(document(spec={"roof": "flat"})).encode())

    found = convert_raw(shop_conversion(), raw, _json.decode(raw, Head), target="example.com/v2")

    assert bytes(found) == bytes(raw)


@pytest.mark.parametrize(("version", "target"), [("v9", "v1"), ("v1", "v9")])
def test_a_version_that_is_not_known_is_refused(version: str, target: str) -> None:
    """The error names those that are."""
    with pytest.raises(ConversionError, match=r"example.com/v9.*example.com/v1, example.com/v2"):
        convert(document(version), target)


def test_an_object_that_does_not_fit_its_class_is_refused() -> None:
    """The error names the field."""
    with pytest.raises(DecodeError, match=r"spec\.area"):
        convert(document(spec={"area": "large"}), "v1")


def test_kept_fields_survive_the_bytes() -> None:
    """A conversion that keeps lost fields does so for the API server, too."""
    conversion = shop_conversion(keep_lost_fields=True)
    sent = document(spec={"area": 1, "music": "jazz", "roof": "flat"})

    hub = convert(sent, "v1", conversion)
    hub["spec"]["size"] = 2
    back = convert(hub, "v2", conversion)

    assert "roof" in hub["metadata"]["annotations"]["example.com/conversion-data"]
    assert back["spec"] == {"area": 2, "music": "jazz", "roof": "flat"}
    assert back["metadata"] == sent["metadata"]

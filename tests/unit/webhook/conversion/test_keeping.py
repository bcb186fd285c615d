"""What a version cannot express, kept in an annotation."""

import json
import logging
from typing import Any

import pytest

import kubewright as kw
from kubewright import _json
from kubewright.api import Resource, read
from kubewright.api.resource import document as document_of
from kubewright.errors import ConversionError
from kubewright.webhook.conversion import Conversion
from kubewright.webhook.conversion.keeping import LONGEST, annotation_for
from tests.unit.webhook.conversion.shops import (
    Shelf,
    ShopV1,
    ShopV2,
    ShopV3,
    SpecV1,
    SpecV2,
    StatusV1,
    document,
    metadata,
    shop_conversion,
    v1_to_v2,
    v2_to_v1,
)

KEY = "example.com/conversion-data"


def keeping() -> Conversion[ShopV1]:
    """Return a conversion that keeps what a version cannot express."""
    return shop_conversion(keep_lost_fields=True)


def labelled(**spec: Any) -> ShopV1:
    """Return a hub whose shelves have labels, which v2 does not convert."""
    shelves = [Shelf(name="a", depth=1, label="left"), Shelf(name="b", depth=2, label="right")]
    return ShopV1(metadata=metadata(), spec=SpecV1(size=1, shelves=shelves, **spec))


def test_lost_fields_come_back() -> None:
    """Reading an object in another version, and writing it, must not destroy anything."""
    conversion = keeping()

    spoke = conversion.convert(labelled(), ShopV2)
    hub = conversion.convert(spoke, ShopV1)

    assert KEY in spoke.metadata.annotations
    assert hub == labelled()


def test_the_spoke_may_know_more_than_the_hub() -> None:
    """Both directions are alike: v2 has music, and v1 has none."""
    conversion = keeping()
    spoke = ShopV2(metadata=metadata(), spec=SpecV2(area=2, music="jazz"))

    hub = conversion.convert(spoke, ShopV1)
    hub.spec.size = 5
    back = conversion.convert(hub, ShopV2)

    assert back == ShopV2(metadata=metadata(), spec=SpecV2(area=5, music="jazz"))


def test_what_was_edited_meanwhile_wins() -> None:
    """The annotation is a memory, and the object is the truth."""
    conversion = keeping()
    spoke = conversion.convert(labelled(colour="red"), ShopV2)
    spoke.spec.area = 9
    spoke.spec.colour = ""
    spoke.spec.shelves[1].depth = 7
    spoke.status.state = "open"

    hub = conversion.convert(spoke, ShopV1)

    wanted = labelled()
    wanted.spec.size = 9
    wanted.spec.shelves[1].depth = 7
    wanted.status = StatusV1(open=True)
    assert hub == wanted


def test_an_item_that_was_removed_stays_removed_and_the_others_keep_theirs() -> None:
    """Items are told apart by name, so that a label never moves to another shelf."""
    conversion = keeping()
    spoke = conversion.convert(labelled(), ShopV2)
    spoke.spec.shelves = [Shelf(name="new"), *spoke.spec.shelves[1:]]

    hub = conversion.convert(spoke, ShopV1)

    assert hub.spec.shelves == [Shelf(name="new"), Shelf(name="b", depth=2, label="right")]


def test_lost_fields_survive_a_spec_that_was_emptied() -> None:
    """Nothing that v3 says about colour can be a wish to remove it."""
    conversion = keeping()
    spoke = conversion.convert(labelled(colour="red"), ShopV3)
    spoke.spec.dimensions = {}

    hub = conversion.convert(spoke, ShopV1)

    assert (hub.spec.size, hub.spec.colour, len(hub.spec.shelves)) == (0, "red", 2)


def test_spoke_to_spoke_and_back_loses_nothing() -> None:
    """v2 to v3 passes the hub, and leaves behind what v3 does not know of both."""
    conversion = keeping()
    spoke = ShopV2(
        metadata=metadata(annotations={"a": "b"}),
        spec=SpecV2(area=2, music="jazz", colour="red", shelves=[Shelf(name="a", label="left")]),
    )
    before = document_of(spoke)

    other = conversion.convert(spoke, ShopV3)
    other.spec.dimensions["size"] = 4
    back = conversion.convert(other, ShopV2)

    before["spec"]["area"] = 4
    assert document_of(back) == before


def test_an_object_that_loses_nothing_gets_no_annotation() -> None:
    """It would be noise in every object, and in every diff."""
    plain = ShopV1(metadata=metadata(), spec=SpecV1(size=1, colour="red"))

    spoke = keeping().convert(plain, ShopV2)

    assert spoke.metadata.annotations == {}


def test_functions_do_not_see_the_annotation() -> None:
    """A function that copies all annotations elsewhere would copy it, too."""
    seen: list[dict[str, str]] = []
    conversion = Conversion(ShopV1, keep_lost_fields=True)

    @conversion.to_hub(ShopV2)
    def to_v1(new: ShopV2) -> ShopV1:
        seen.append(dict(new.metadata.annotations))
        return v2_to_v1(new)

    conversion.from_hub(ShopV2)(v1_to_v2)
    spoke = conversion.convert(labelled(), ShopV2)
    conversion.convert(spoke, ShopV1)

    assert not any(KEY in one for one in seen)


def test_the_annotation_never_grows() -> None:
    """It holds content only: neither itself nor managed fields, however often it is converted."""
    conversion = keeping()
    obj: Resource = labelled()
    texts = set()

    for _ in range(5):
        spoke = conversion.convert(obj, ShopV2)
        texts.add(spoke.metadata.annotations[KEY])
        obj = conversion.convert(spoke, ShopV1)

    assert [json.loads(text)["v1"].keys() for text in texts] == [{"spec", "status"}]


def test_the_object_of_the_caller_keeps_its_annotation() -> None:
    """A conversion changes nothing but what it returns."""
    conversion = keeping()
    spoke = conversion.convert(labelled(), ShopV2)

    conversion.convert(spoke, ShopV1)

    assert KEY in spoke.metadata.annotations


def test_fields_that_the_class_does_not_know_are_kept_too() -> None:
    """An older operator runs for a while beside a newer CRD."""
    conversion = keeping()
    sent = document("v1", spec={"size": 1, "roof": "flat"})
    hub = read(_json.encode(sent), ShopV1)

    spoke = conversion.convert(hub, ShopV2)
    spoke.spec.area = 2
    back = conversion.convert(spoke, ShopV1)

    assert json.loads(spoke.metadata.annotations[KEY])["v1"]["spec"]["roof"] == "flat"
    assert b'"roof":"flat"' in (back.__dict__["_raw"])


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"v1": 3}', '{"v1": {"spec": {"size": "no"}}}', '{"v9": {}}']
)
def test_an_annotation_that_somebody_broke_does_not_hide_the_object(text: str) -> None:
    """Anybody may edit it, and the object must stay readable."""
    spoke = ShopV2(metadata=metadata(annotations={KEY: text}), spec=SpecV2(area=3))

    assert keeping().convert(spoke, ShopV1).spec.size == 3


def test_an_annotation_cannot_rename_the_object() -> None:
    """The API server would refuse the answer, and with it every list that the object is in."""
    forged = '{"v1": {"apiVersion": "x/v9", "kind": "X", "metadata": {"name": "x"}, "spec": {}}}'
    sent = metadata(annotations={KEY: forged, "mine": "kept"})

    hub = keeping().convert(ShopV2(metadata=sent, spec=SpecV2(area=3)), ShopV1)

    assert hub == ShopV1(metadata=metadata(annotations={"mine": "kept"}), spec=SpecV1(size=3))


def test_a_way_back_that_raises_keeps_everything() -> None:
    """What cannot be compared may be lost."""
    conversion = Conversion(ShopV1, keep_lost_fields=True)
    conversion.from_hub(ShopV2)(v1_to_v2)

    @conversion.to_hub(ShopV2)
    def to_v1(new: ShopV2) -> ShopV1:
        raise RuntimeError("not yet")

    assert KEY in conversion.convert(labelled(), ShopV2).metadata.annotations


def large(size: int = LONGEST, **more: Any) -> ShopV2:
    """Return a spoke whose shelf has a label, which v1 does not convert, of *size* letters."""
    shelves = [Shelf(name="a", label="x" * size)]
    return ShopV2(metadata=metadata(**more), spec=SpecV2(area=2, shelves=shelves))


def test_more_than_annotations_may_hold_cannot_be_written() -> None:
    """The server would refuse the object with an error about annotations that nobody wrote."""
    with pytest.raises(ConversionError, match="an object may have 262144 bytes of annotations"):
        keeping().convert(large(), ShopV1)
    with pytest.raises(ConversionError, match="an object may have 262144 bytes of annotations"):
        keeping().convert(large(), ShopV3)


@pytest.mark.parametrize("others", [0, 100])
def test_the_size_of_annotations_is_that_of_their_bytes_with_their_keys(others: int) -> None:
    """The server counts both, and its error would not say that a conversion is the reason."""
    spoke = large(0, annotations={"a": "\u00fc" * others})
    empty = keeping().convert(spoke, ShopV1).metadata.annotations
    used = sum(len(f"{key}{value}".encode()) for key, value in empty.items())

    left, odd = divmod(LONGEST - used, 2)
    spoke.spec.shelves[0].label = "\u00fc" * left + "x" * odd
    full = keeping().convert(spoke, ShopV1).metadata.annotations
    spoke.spec.shelves[0].label += "x"

    assert sum(len(f"{key}{value}".encode()) for key, value in full.items()) == LONGEST
    with pytest.raises(ConversionError, match="bytes of annotations"):
        keeping().convert(spoke, ShopV1)


# --- What is stored, and too large to be kept ---


def stored(uid: str) -> ShopV1:
    """Return a stored object with more than an annotation may hold."""
    hub = labelled()
    hub.metadata.uid = uid
    hub.spec.shelves[0].label = "x" * LONGEST
    return hub


def test_a_stored_object_that_is_too_large_to_be_kept_can_be_read() -> None:
    """One of them would fail each list that it is in, for everybody."""
    spoke = keeping().convert(stored("u-2"), ShopV2)

    assert (spoke.spec.area, len(spoke.spec.shelves)) == (1, 2)
    assert json.loads(spoke.metadata.annotations[KEY]) == {"v1": None}


def test_it_is_logged_once_for_each_object(caplog: pytest.LogCaptureFixture) -> None:
    """Lists are read every few minutes, and their log would drown all others."""
    conversion = keeping()

    with caplog.at_level(logging.WARNING):
        for uid in ("u-3", "u-4", "u-3"):
            conversion.convert(stored(uid), ShopV2)

    assert caplog.text.count("too large") == 2


def test_what_was_too_large_to_be_kept_cannot_be_written_in_that_version() -> None:
    """The fields that did not fit would be lost; who knows them all may write."""
    conversion = keeping()
    spoke = conversion.convert(stored("u-5"), ShopV2)
    spoke.spec.area = 9

    with pytest.raises(ConversionError, match="must be edited in v1: its fields did not fit into"):
        conversion.convert(spoke, ShopV1)


def test_what_is_stored_as_a_spoke_can_be_read_in_every_version() -> None:
    """Through the hub, it is still a read."""

    @kw.resource(group="example.com", version="v1", kind="Shop", storage=False)
    class Hub(kw.Resource):
        spec: SpecV1 = SpecV1()

    @kw.resource(group="example.com", version="v2", kind="Shop")
    class Stored(kw.Resource):
        spec: SpecV2 = SpecV2()

    conversion = Conversion(Hub, keep_lost_fields=True)
    conversion.to_hub(Stored)(lambda new: Hub(spec=SpecV1(size=1, colour=new.spec.colour)))
    conversion.from_hub(Stored)(lambda hub: Stored(spec=SpecV2(colour=hub.spec.colour)))
    conversion.to_hub(ShopV3)(lambda new: Hub())
    conversion.from_hub(ShopV3)(lambda hub: ShopV3())
    spec = SpecV2(music="x" * LONGEST, colour="y" * LONGEST)

    found = conversion.convert(Stored(metadata=metadata(), spec=spec), ShopV3)

    assert json.loads(found.metadata.annotations[KEY]) == {"v1": None, "v2": None}


def test_nobody_hides_a_stored_object_with_an_entry_that_is_null() -> None:
    """Anybody may write the annotation, and nothing was ever left out of it on a write."""
    hub = labelled()
    hub.metadata.annotations = {KEY: '{"v2": null}'}

    assert keeping().convert(hub, ShopV2).spec.area == 1


def test_the_annotation_has_the_name_of_the_group() -> None:
    """Two operators that convert different kinds do not meet there."""
    assert annotation_for("example.com") == "example.com/conversion-data"
    assert annotation_for("") == "conversion-data"

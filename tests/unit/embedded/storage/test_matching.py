"""Which volume suits a claim."""

from typing import Any

import pytest

import kubewright as kw
from kubewright.embedded.storage.matching import (
    best_volume,
    is_reserved_for,
    mismatch,
    reaches_node,
)
from kubewright.kinds.core.v1 import PersistentVolume
from tests.unit.embedded.storage.samples import claim, only_on, reference, volume

MANY = ["ReadWriteOnce", "ReadOnlyMany"]


def free(*args: Any, **spec: Any) -> PersistentVolume:
    made: PersistentVolume = volume(*args, **spec)
    made.status.phase = "Available"
    return made


def name_of(found: PersistentVolume | None) -> str:
    return found.metadata.name if found is not None else ""


def test_the_smallest_that_is_large_enough_is_best() -> None:
    """The others stay free for claims that need them."""
    sizes = [free("big", "10Gi"), free("small", "512Mi"), free("right", "2Gi")]

    assert name_of(best_volume(claim(size="1Gi"), sizes)) == "right"
    assert name_of(best_volume(claim(size="20Gi"), sizes)) == ""


def test_fewer_access_modes_come_before_less_room() -> None:
    """So it is in Kubernetes; a volume that can do more is kept for those who need it."""
    both = [free("able", "1Gi", access_modes=MANY), free("plain", "5Gi")]

    assert name_of(best_volume(claim(), both)) == "plain"
    assert name_of(best_volume(claim(access_modes=MANY), both)) == "able"


@pytest.mark.parametrize(
    "unfit",
    [
        {"storage_class_name": "fast"},
        {"volume_mode": "Block"},
        {"access_modes": ["ReadOnlyMany"]},
        {"claim_ref": reference("other")},
        {"claim_ref": reference("data", uid="of-an-older-one")},
        {"volume_attributes_class_name": "gold"},
    ],
)
def test_what_differs_does_not_fit(unfit: dict[str, Any]) -> None:
    """Class, mode, access and owner all count."""
    assert best_volume(claim(), [free(**unfit)]) is None


def test_a_selector_chooses_by_labels() -> None:
    """As the user of the claim wants it."""
    wanted = claim(selector=kw.LabelSelector(match_labels={"tier": "gold"}))
    found = [free("tin", labels={"tier": "tin"}), free("gold", "9Gi", labels={"tier": "gold"})]

    assert name_of(best_volume(wanted, found)) == "gold"


def test_a_volume_that_names_the_claim_wins_even_if_the_class_differs() -> None:
    """Somebody has reserved it; also when claims of the class wait for a pod."""
    reserved = volume("mine", "9Gi", claim_ref=reference(), storage_class_name="slow")

    assert name_of(best_volume(claim(), [free("small"), reserved], reserved_only=True)) == "mine"
    assert best_volume(claim(), [free()], reserved_only=True) is None


def test_a_volume_that_is_not_available_yet_or_any_more_is_left_alone() -> None:
    """Its phase is about to change, and a write would meet another."""
    released = volume("old")
    released.status.phase = "Released"

    assert best_volume(claim(), [volume("new"), released]) is None


def test_a_reservation_is_for_a_name_or_for_one_very_claim() -> None:
    """Without a uid, any claim of the name will do."""
    mine = claim()
    mine.metadata.uid = "u1"

    assert is_reserved_for(volume(claim_ref=reference()), mine)
    assert is_reserved_for(volume(claim_ref=reference(uid="u1")), mine)
    assert not is_reserved_for(volume(claim_ref=reference(uid="u2")), mine)
    assert not is_reserved_for(volume(), mine)


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ({}, ""),
        ({"size": "1Mi"}, "requested PV is too small"),
        ({"storage_class_name": "x"}, "storageClassName does not match"),
        ({"volume_attributes_class_name": "x"}, "volumeAttributesClassName does not match"),
        ({"volume_mode": "Block"}, "incompatible volumeMode"),
        ({"access_modes": ["ReadWriteMany"]}, "incompatible accessMode"),
    ],
)
def test_a_volume_that_was_asked_for_by_name_says_why_not(
    spec: dict[str, Any], problem: str
) -> None:
    """In the words of Kubernetes."""
    assert mismatch(volume(**spec), claim()) == problem


def test_a_volume_of_one_node_is_reached_from_there_only() -> None:
    """A local disk."""
    local = volume(node_affinity=only_on("n1"))

    assert reaches_node(local, "n1", {"kubernetes.io/hostname": "n1"})
    assert not reaches_node(local, "n2", {"kubernetes.io/hostname": "n2"})
    assert reaches_node(volume(), "n2", {})

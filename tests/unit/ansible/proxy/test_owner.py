"""Whose an object is, and how it shows that."""

from typing import Any

from kubewright.ansible.proxy.owner import Owner
from tests.unit.ansible.stalls import sign, stall

STALL = Owner("example.com/v1", "Stall", "corner", "default", "1")
EVERYWHERE = Owner("example.com/v1", "Street", "high", "", "2")


def test_objects_in_the_namespace_refer_to_their_owner() -> None:
    """Beside the owners that they have."""
    made: dict[str, Any] = sign()
    made["metadata"]["ownerReferences"] = [{"uid": "9"}]

    assert STALL.add_to(made, "default")

    assert [one["uid"] for one in made["metadata"]["ownerReferences"]] == ["9", "1"]
    assert STALL.owns(made)
    assert not STALL.add_to(made, "default")


def test_objects_elsewhere_name_it_in_annotations() -> None:
    """A reference out of a namespace would have them deleted."""
    for namespace in ("other", ""):
        made = sign()

        assert STALL.add_to(made, namespace)

        assert made["metadata"]["annotations"] == {
            "operator-sdk/primary-resource": "default/corner",
            "operator-sdk/primary-resource-type": "Stall.example.com",
        }
        assert STALL.owns(made)


def test_owner_without_a_namespace_is_referred_to_from_everywhere() -> None:
    """And never by annotations."""
    made = sign()

    assert EVERYWHERE.add_to(made, "other")

    assert made["metadata"]["ownerReferences"][0]["kind"] == "Street"
    assert not EVERYWHERE.owns(sign())


def test_object_is_an_owner() -> None:
    """With all that a reference needs."""
    assert Owner.of(stall(uid="1")) == STALL

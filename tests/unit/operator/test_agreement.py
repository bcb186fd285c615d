"""Which values count, and when they have changed."""

from typing import Any

import pytest

from kubewright.operator.agreement import differences, digest, projected

WANTED = {"metadata": {"labels": {"a": "1"}}, "spec": {"size": 1, "ports": [{"port": 80}]}}


def live(**spec: Any) -> dict[str, Any]:
    return {
        "metadata": {"labels": {"a": "1", "b": "2"}, "uid": "u"},
        "spec": {"size": 1, "ports": [{"port": 80, "protocol": "TCP"}], "policy": "x", **spec},
        "status": {"ready": 1},
    }


def test_only_the_values_of_applied_fields_count() -> None:
    """Defaults, the status and what others own are none of our business."""
    assert projected(live(), WANTED) == WANTED
    assert projected(live(policy="y"), WANTED) == projected(live(), WANTED)


@pytest.mark.parametrize(
    "spec",
    [{"size": 2}, {"ports": [{"port": 81}]}, {"ports": []}, {"ports": [{"port": 80}, {"port": 1}]}],
    ids=["scalar", "inside a list", "emptied list", "longer list"],
)
def test_a_changed_value_shows(spec: dict[str, Any]) -> None:
    """Whatever somebody did to a field of ours is undone."""
    assert digest(projected(live(**spec), WANTED)) != digest(projected(live(), WANTED))


def test_a_missing_field_shows() -> None:
    """Somebody removed it."""
    gone = live()
    del gone["spec"]["size"]

    assert projected(gone, WANTED) != projected(live(), WANTED)


def test_the_order_of_members_does_not_count() -> None:
    """A server writes them as it likes."""
    assert digest({"a": 1, "b": [2]}) == digest({"b": [2], "a": 1})
    assert digest({"a": True}) != digest({"a": 1})


def test_differences_are_shown_with_their_path() -> None:
    """The message must say who fights about what."""
    before = {"spec": {"size": 1, "ports": [{"port": 80}], "gone": 1}}
    after = {"spec": {"size": 2, "ports": [{"port": 81}], "new": 2}}

    assert list(differences(before, after)) == [
        "spec.size: 1 -> 2",
        "spec.ports[0].port: 80 -> 81",
        "spec.gone: 1 -> '<none>'",
        "spec.new: '<none>' -> 2",
    ]

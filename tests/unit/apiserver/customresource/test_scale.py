"""The scale subresource of custom resources."""

from typing import Any

import pytest

from kubewright.apiserver.customresource.scale import (
    scale_for_update,
    scale_of,
    validate_scale_spec,
    validate_scale_status,
    with_scale,
)
from kubewright.apiserver.meta.status import StatusError

Json = dict[str, Any]

PATHS = {
    "specReplicasPath": ".spec.replicas",
    "statusReplicasPath": ".status.replicas",
    "labelSelectorPath": ".status.selector",
}


def obj(**parts: Any) -> Json:
    """Return a custom resource."""
    return {"metadata": {"name": "x", "uid": "u", "labels": {"a": "b"}}, **parts}


def test_the_scale_is_read_from_the_paths() -> None:
    """The paths of the definition decide, not the names of fields."""
    found = obj(spec={"replicas": 3}, status={"replicas": 2, "selector": "a=b"})

    assert scale_of(found, PATHS) == {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": {"name": "x", "uid": "u"},
        "spec": {"replicas": 3},
        "status": {"replicas": 2, "selector": "a=b"},
    }


def test_an_object_without_replicas_has_no_scale_but_can_get_one() -> None:
    """A GET fails, a PUT with a number does not."""
    with pytest.raises(StatusError) as caught:
        scale_of(obj(), PATHS)
    assert caught.value.code == 500
    assert 'the spec replicas field ".spec.replicas" does not exist' in str(caught.value)

    scale = scale_for_update(obj(), PATHS)
    with pytest.raises(StatusError, match=r'"\.spec\.replicas" cannot be empty'):
        with_scale(obj(), scale, PATHS)

    assert with_scale(obj(), {"spec": {"replicas": 2}}, PATHS)["spec"] == {"replicas": 2}
    assert with_scale(obj(), {}, PATHS)["spec"] == {"replicas": 0}


def test_a_path_through_something_else_is_an_error_of_the_server() -> None:
    """The definition and the object do not fit together then."""
    for read in (scale_of, scale_for_update):
        with pytest.raises(StatusError) as caught:
            read(obj(spec="x"), PATHS)

        assert caught.value.code == 500
        assert str(caught.value) == (
            ".spec.replicas accessor error: x is of the type string, expected"
            " map[string]interface{}"
        )


def test_the_version_of_the_scale_is_that_of_the_object() -> None:
    """A write with a stale scale then conflicts."""
    scale = {"metadata": {"resourceVersion": "7"}, "spec": {}}

    changed = with_scale(obj(spec={"replicas": 3}), scale, PATHS)

    assert changed["spec"]["replicas"] == 0
    assert changed["metadata"]["resourceVersion"] == "7"


@pytest.mark.parametrize(
    ("replicas", "text"),
    [
        (3, None),
        (-1, "-1: should be a non-negative integer"),
        (2**31, "2147483648: should be less than or equal to 2147483647"),
        ("x", "0: .spec.replicas accessor error: x is of the type string, expected int64"),
        (
            [True, {"a": None}],
            (
                "0: .spec.replicas accessor error: [true map[a:<nil>]] is of the type []interface"
                " {}, expected int64"
            ),
        ),
    ],
)
def test_the_number_of_replicas_must_be_one(replicas: Any, text: str | None) -> None:
    """The scale needs an integer even if the schema allows others."""
    errors = validate_scale_spec(obj(spec={"replicas": replicas}), PATHS)

    expected = [f".spec.replicas: Invalid value: {text}"] if text else []
    assert [str(error) for error in errors] == expected


def test_selectors_are_text() -> None:
    """Autoscalers parse the selector."""
    errors = validate_scale_status(obj(status={"selector": 3}), PATHS)

    assert [str(error) for error in errors] == [
        (
            '.status.selector: Invalid value: "": .status.selector accessor error: 3 is of the type'
            " int64, expected string"
        )
    ]

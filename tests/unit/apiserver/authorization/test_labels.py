from typing import Any

import pytest

from kubewright.apiserver.authorization.labels import label_selector

IN = {"key": "a", "operator": "In", "values": ["b", "c"]}


@pytest.mark.parametrize(
    ("source", "labels", "matched"),
    [
        (None, {}, False),
        ({}, {}, True),
        ({"matchLabels": {"a": "b"}}, {"a": "b", "c": "d"}, True),
        ({"matchLabels": {"a": "b"}}, {"a": "c"}, False),
        ({"matchExpressions": [IN]}, {"a": "c"}, True),
        ({"matchExpressions": [{**IN, "operator": "NotIn"}]}, {}, True),
        ({"matchExpressions": [{"key": "a", "operator": "Exists"}]}, {"a": ""}, True),
        ({"matchExpressions": [{"key": "a", "operator": "DoesNotExist"}]}, {"a": ""}, False),
        ({"matchLabels": {"x": "y"}, "matchExpressions": [IN]}, {"a": "b"}, False),
    ],
)
def test_a_selector_in_an_object_selects_as_in_kubernetes(
    source: dict[str, Any] | None, labels: dict[str, str], *, matched: bool
) -> None:
    """None selects nothing, and an empty one everything."""
    assert label_selector(source).matches(labels) is matched


def test_an_operator_that_does_not_exist_is_named() -> None:
    """Validation should have refused it."""
    with pytest.raises(ValueError, match='"Like" is not a valid label selector operator'):
        label_selector({"matchExpressions": [{"key": "a", "operator": "Like"}]})

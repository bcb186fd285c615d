from typing import Any

import pytest

from kubewright.apiserver.meta.status import StatusError
from kubewright.apiserver.patch import merge


@pytest.mark.parametrize(
    ("document", "patch", "result"),
    [
        ({"a": 1, "b": 2}, {"b": None, "c": None}, {"a": 1}),
        ({"a": {"x": 1}}, {"a": {"y": 2}}, {"a": {"x": 1, "y": 2}}),
        ({"a": {"x": 1}}, {"a": [1]}, {"a": [1]}),
        ({"a": [1, 2]}, {"a": [3]}, {"a": [3]}),
        ({}, {"a": {"b": None, "c": [{"d": None}, None]}}, {"a": {"c": [{}, None]}}),
        ({"a": None}, {"a": {"b": 1}}, {"a": {"b": 1}}),
    ],
)
def test_patch_is_merged(document: Any, patch: Any, result: Any) -> None:
    """Null removes, objects merge, everything else replaces."""
    assert merge.apply(document, patch) == result


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"null", "Invalid JSON Patch"),
        (b"[]", "error decoding patch: json: cannot unmarshal array into Go value of type"),
        (b"{", "error decoding patch: "),
    ],
)
def test_patch_that_is_no_object_is_refused(body: bytes, message: str) -> None:
    """A list or null would replace the whole object."""
    with pytest.raises(StatusError) as caught:
        merge.apply({}, body)

    assert caught.value.code == 400
    assert str(caught.value).startswith(message)

from typing import Any

import pytest

from kubewright.apiserver.fieldmanager import shape
from kubewright.apiserver.fieldmanager.validate import joined, misfits
from tests.unit.apiserver.fieldmanager import custom


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({"nope": 1, "other": 2}, ".spec.nope: field not declared in schema"),
        ({"size": "1"}, ".spec.size: expected numeric (int or float), got string"),
        ({"size": True}, ".spec.size: expected numeric (int or float), got bool"),
        ({"text": 1}, ".spec.text: expected string, got &value.valueUnstructured{Value:1}"),
        ({"flag": "x"}, ".spec.flag: expected boolean, got &{x}"),
        ({"struct": "x"}, ".spec.struct: expected map, got &{x}"),
        ({"plain": {"a": 1}}, ".spec.plain: expected list, got &{map[a:1]}"),
        ({"plain": ["a", 1]}, ".spec.plain[1]: expected string, got &value."),
        ({"set": ["a", "a"]}, '.spec.set: duplicate entries for key [="a"]'),
        (
            {"items": [{"name": "a"}, {"name": "a", "port": 80}]},
            '.spec.items: duplicate entries for key [name="a",port=80]',
        ),
        ({"items": [None]}, ".spec.items: element 0: associative list with keys may not"),
        (
            {"items": [{"name": "a", "x": 1}]},
            '.spec.items[name="a",port=80].x: field not declared in schema',
        ),
        ({"size": 1, "text": 2, "flag": 3}, "errors:\n  .spec.text: expected string"),
    ],
)
def test_misfit_is_described_as_structured_merge_does(spec: dict[str, Any], message: str) -> None:
    """Users look these texts up."""
    found = misfits(custom.thing(**spec), shape.root(custom.schema()))

    assert joined(found).startswith(message)


def test_what_fits_has_nothing_to_say() -> None:
    """Null is a value of everything; unknown fields may be anything where they are kept."""
    spec: dict[str, Any] = {"size": None, "free": {"x": [{}]}, "set": ["a"], "labels": {"a": "b"}}

    assert misfits(custom.thing(**spec), shape.root(custom.schema())) == []

from typing import Any

import pytest

from kubewright.apiserver.patch import gotext


@pytest.mark.parametrize(
    ("value", "text", "type_name"),
    [
        ({"b": [1, "x"], "a": None}, "map[a:<nil> b:[1 x]]", "map[string]interface {}"),
        ([True, 1.5], "[true 1.5]", "[]interface {}"),
        (2.0, "2", "float64"),
        (1e30, "1e+30", "float64"),
        (7, "7", "int64"),
        (False, "false", "bool"),
        ("a b", "a b", "string"),
    ],
)
def test_values_print_as_in_go(value: Any, text: str, type_name: str) -> None:
    """Messages that quote a patch quote it in Go's notation."""
    assert gotext.shown(value) == text
    assert gotext.type_name(value) == type_name

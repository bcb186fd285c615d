"""JSONPath finds values as kubectl does."""

from typing import Any

import pytest

from kubewright.apiserver.meta.jsonpath import PathError, as_text, parse

POD: dict[str, Any] = {
    "metadata": {"name": "x", "annotations": {"a.b/c": "d"}},
    "status": {
        "conditions": [
            {"type": "Ready", "status": "True", "n": 1},
            {"type": "Scheduled", "status": "False", "n": 2.5},
        ]
    },
}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        (".metadata.name", ["x"]),
        ("{.metadata.name}", ["x"]),
        ("$.metadata['name']", ["x"]),
        (r".metadata.annotations.a\.b/c", ["d"]),
        (".metadata.annotations['a.b/c']", ["d"]),
        ('.metadata.annotations["a.b/c"]', ["d"]),
        (".status.conditions[0].type", ["Ready"]),
        (".status.conditions[-1].type", ["Scheduled"]),
        (".status.conditions[9].type", []),
        (".status.conditions[*].n", [1, 2.5]),
        (".status.conditions[0:1].n", [1]),
        (".status.conditions[::-1].n", [2.5, 1]),
        (".status.conditions[?(@.type=='Ready')].status", ["True"]),
        ('.status.conditions[?(@.type != "Ready")].status', ["False"]),
        (".status.conditions[?(@.n > 1)].type", ["Scheduled"]),
        (".status.conditions[?(@.n<=1)].type", ["Ready"]),
        (".status.conditions[?(@.n >= 'x')].type", []),
        (".status.conditions[?(@.missing)].type", []),
        (".status.conditions[0]['type','status']", ["Ready", "True"]),
        ("..type", ["Ready", "Scheduled"]),
        (".metadata.*", ["x", {"a.b/c": "d"}]),
        (".metadata.missing.deeper", []),
        (".metadata.name.deeper", []),
        (".", [POD]),
    ],
)
def test_paths_find_values(path: str, found: list[Any]) -> None:
    """A missing key finds nothing."""
    assert parse(path).find(POD) == found


@pytest.mark.parametrize("path", ["metadata", ".a[", ".a[b]", ".a[?(@.x == y)]", ".a]"])
def test_what_is_no_path_is_refused(path: str) -> None:
    """At once, not when it is used."""
    with pytest.raises(PathError, match="cannot read JSONPath"):
        parse(path)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a", "a"),
        (3, "3"),
        (3.0, "3"),
        (2.5, "2.5"),
        (True, "true"),
        (None, "<nil>"),
        ({"b": 1, "a": [None]}, '{"a":[null],"b":1}'),
    ],
)
def test_values_are_printed_as_go_prints_them(value: Any, text: str) -> None:
    """Compound ones as JSON."""
    assert as_text(value) == text

from typing import Any

import pytest

from kubewright.crd.values.inference import INT_OR_STRING, OPEN, inferred_schema

OBJECT = {"type": "object", **OPEN}
TEXTS = {"type": "object", "additionalProperties": {"type": "string"}}


@pytest.mark.parametrize(
    ("text", "schema"),
    [
        ("a: 1", {"type": "integer"}),
        ("a: 1.5", {"type": "number"}),
        ("a: true", {"type": "boolean"}),
        ("a: 'yes'", {"type": "string"}),
        ("a: 2026-01-01", {"type": "string"}),
        ("a:", OPEN),
        ("a: {}", OBJECT),
        ("a: []", {"type": "array", "items": OPEN}),
        ("a: [1, 2]", {"type": "array", "items": {"type": "integer"}}),
        ("a: [1, b]", {"type": "array", "items": OPEN}),
        ("a: [{b: 1}]", {"type": "array", "items": OBJECT}),
        ("a: {b: 1}", {"type": "object", "properties": {"b": {"type": "integer"}}}),
        ("# -- (object) It.\na:", {**OBJECT, "description": "It."}),
        ("# -- (list) It.\na:", {"type": "array", "items": OPEN, "description": "It."}),
    ],
)
def test_a_value_says_its_type(text: str, schema: dict[str, Any]) -> None:
    """What is empty says nothing, and is open."""
    assert inferred_schema(text)["properties"]["a"] == schema


@pytest.mark.parametrize(
    ("text", "schema"),
    [
        ("port: 80", INT_OR_STRING),
        ("targetPort: http", INT_OR_STRING),
        ("storage: 8Gi", INT_OR_STRING),
        ("podAnnotations: {a: b}", TEXTS),
        ("labels: {}", TEXTS),
        ("nodeSelector: {disk: ssd}", TEXTS),
        ("resources: {limits: {cpu: 100m}}", OBJECT),
        ("livenessProbe: {httpGet: {path: /}}", OBJECT),
        ("podSecurityContext: {fsGroup: 1}", OBJECT),
        ("colour: x", {"type": "string"}),
    ],
)
def test_parts_of_kubernetes_are_known_by_their_names(text: str, schema: dict[str, Any]) -> None:
    """The chart's value is one of many there, and another one must not be refused."""
    [found] = inferred_schema(text)["properties"].values()

    assert found == schema


def test_a_file_without_values_allows_everything() -> None:
    """A chart may have no values.yaml, and take values all the same."""
    assert inferred_schema("# nothing\n") == OBJECT


def test_keys_that_are_merged_in_count() -> None:
    """`<<` is how charts say the same twice."""
    found = inferred_schema("base: &base\n  a: 1\nother:\n  <<: *base\n  b: x\n")

    assert set(found["properties"]["other"]["properties"]) == {"a", "b"}


def test_comments_inside_are_found_by_their_indentation() -> None:
    """The description is that of the key, not that of its section."""
    found = inferred_schema("# The image.\nimage:\n  # Its tag.\n  tag: ''\n")["properties"][
        "image"
    ]

    assert found["description"] == "The image."
    assert found["properties"]["tag"] == {"type": "string", "description": "Its tag."}

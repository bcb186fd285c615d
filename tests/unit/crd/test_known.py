"""Schemas of our own types that say more than their classes."""

import re

import pytest

from kubewright.api.meta import Condition, LabelSelector
from kubewright.crd import schema_of
from kubewright.crd.known import CONDITION, QUANTITY


@pytest.mark.parametrize("text", ["1", "0.5", ".5", "5.", "100m", "1Gi", "-3k", "+1e3", "1E-2"])
def test_quantities_match(text: str) -> None:
    """What Kubernetes writes must pass."""
    assert re.search(QUANTITY["pattern"], text)


@pytest.mark.parametrize("text", ["", "much", "1 Gi", "1gi", "--1", "1e", "m"])
def test_what_is_no_quantity_does_not_match(text: str) -> None:
    """What it cannot read must not."""
    assert not re.search(QUANTITY["pattern"], text)


def test_the_fields_of_a_condition_are_those_of_its_class() -> None:
    """The two are written apart and must not drift apart."""
    assert set(CONDITION["properties"]) == set(Condition.__struct_encode_fields__)


def test_conditions_demand_what_kubernetes_demands() -> None:
    """``kubectl wait`` and others rely on it."""
    schema = schema_of(Condition)

    assert schema["required"] == ["lastTransitionTime", "message", "reason", "status", "type"]
    assert schema["properties"]["status"]["enum"] == ["True", "False", "Unknown"]


def test_a_selector_is_written_as_a_whole() -> None:
    """Two writers who merge their selectors would select something else than either meant."""
    schema = schema_of(LabelSelector)

    assert schema["x-kubernetes-map-type"] == "atomic"
    assert set(schema["properties"]) == set(LabelSelector.__struct_encode_fields__)

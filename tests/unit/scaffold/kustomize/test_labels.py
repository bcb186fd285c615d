"""Labels and annotations for all."""

from typing import Any

import pytest

from kubewright.scaffold.kustomize.collection import Collection
from kubewright.scaffold.kustomize.configuration import DEFAULT
from kubewright.scaffold.kustomize.fields import Field, Labels
from kubewright.scaffold.kustomize.labels import add_labels, add_texts
from kubewright.scaffold.kustomize.problem import ProblemError
from kubewright.scaffold.kustomize.resource import resources
from kubewright.scaffold.kustomize.scalar import text

DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: a}
spec: {template: {spec: {topologySpreadConstraints: [{labelSelector: {matchLabels: {x: y}}}]}}}
"""
ADDED = {"a": "b"}


def labelled(**said: Any) -> Any:
    """Return the Deployment with labels."""
    found = Collection(resources(DEPLOYMENT, place=""))
    add_labels(found, Labels(pairs=ADDED, **said), DEFAULT)
    return next(iter(found)).finished()


def test_labels_go_to_metadata_alone_unless_more_is_said() -> None:
    """A new selector would make the Deployment immutable-field errors of an upgrade."""
    found = labelled()

    assert found["metadata"]["labels"] == ADDED
    assert "selector" not in found["spec"]
    assert "metadata" not in found["spec"]["template"]


def test_templates_and_selectors_are_included_on_demand() -> None:
    """With selectors come templates: they must match."""
    templates, selectors = labelled(include_templates=True), labelled(include_selectors=True)

    assert templates["spec"]["template"]["metadata"]["labels"] == ADDED
    assert "selector" not in templates["spec"]
    assert selectors["spec"]["template"]["metadata"]["labels"] == ADDED
    assert selectors["spec"]["selector"]["matchLabels"] == ADDED
    (constraint,) = selectors["spec"]["template"]["spec"]["topologySpreadConstraints"]
    assert constraint["labelSelector"]["matchLabels"] == {"x": "y", "a": "b"}


def test_fields_of_ones_own_get_them_too() -> None:
    """Custom resources have selectors that kustomize does not know."""
    found = labelled(fields=[Field(path="spec/own", create=True)])

    assert found["spec"]["own"] == ADDED


def test_a_field_that_is_no_mapping_is_refused() -> None:
    """The label would go nowhere."""
    found = Collection(resources("kind: A\nmetadata: {name: a, labels: x}\n", place=""))

    with pytest.raises(ProblemError, match="there is a single value, and should be a mapping"):
        add_texts(found, ADDED, DEFAULT.common_labels)


def test_a_label_of_several_fields_is_changed_in_all_of_them() -> None:
    """Kustomize puts one node into all of them, and an overlay that people know depends on it."""
    found = Collection(resources(DEPLOYMENT, place=""))
    add_labels(found, Labels(pairs=ADDED, include_selectors=True), DEFAULT)

    add_labels(found, Labels(pairs={"a": "c"}), DEFAULT)

    spec = next(iter(found)).finished()["spec"]
    assert spec["selector"]["matchLabels"] == {"a": "c"}
    assert spec["template"]["metadata"]["labels"] == {"a": "c"}


def test_objects_do_not_share_their_labels() -> None:
    """What changes one Deployment leaves the next one alone, and so does a copy."""
    found = Collection(resources(f"{DEPLOYMENT}---\n{DEPLOYMENT.replace('a}', 'b}')}", place=""))
    add_labels(found, Labels(pairs=ADDED, include_selectors=True), DEFAULT)
    first, second = found

    copy = first.copy()
    first.metadata["labels"]["a"].become(text("c"))

    assert (first.labels, second.labels, copy.labels) == ({"a": "c"}, ADDED, ADDED)

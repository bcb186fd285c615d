"""Which object becomes what."""

import pytest

from kubewright.bundle.collection import collect, name_of, namespace_of
from kubewright.errors import ConfigError
from tests.unit.bundle.sample import Object, objects, one, put


def test_every_object_has_its_place() -> None:
    """What is overlooked is not installed."""
    found = collect(
        [*objects(), {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}]
    )

    assert [name_of(each) for each in found.crds] == ["shops.example.com"]
    assert [name_of(each) for each in found.deployments] == ["shop-manager"]
    assert [name_of(each) for each in found.samples] == ["sample"]
    assert len(found.roles) == 3
    assert len(found.bindings) == 2
    assert [name_of(each) for each in found.kept] == ["a"]
    assert [each["kind"] for each in found.left] == ["Namespace"]


@pytest.mark.parametrize(
    ("found", "message"),
    [
        ({}, "this is not an object with apiVersion, kind and metadata.name: {}"),
        ({"kind": "A", "apiVersion": ["v1"]}, "this is not an object with apiVersion"),
        (put(one("Deployment"), ("metadata",), 1), "this is not an object"),
        (put(one("CustomResourceDefinition"), ("spec",), []), "shops.example.com is not whole: it"),
        (
            put(one("CustomResourceDefinition"), ("spec", "versions", 0, "name"), 1),
            "name for each of spec.versions",
        ),
    ],
)
def test_what_is_no_object_is_refused(found: Object, message: str) -> None:
    """Instead of a bundle with half of it."""
    with pytest.raises(ConfigError) as caught:
        collect([found])

    assert message in str(caught.value)


def test_an_object_that_is_there_twice_counts_once() -> None:
    """Overlays of others bring the same role again and again."""
    assert len(collect([*objects(), *objects()]).roles) == 3


def test_webhooks_certificates_and_the_scorecard_are_told_apart() -> None:
    """Each is turned into something else, and none is a file of the bundle."""
    kinds = [
        ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"),
        ("cert-manager.io/v1", "Certificate"),
        ("cert-manager.io/v1", "Issuer"),
        ("scorecard.operatorframework.io/v1alpha3", "Configuration"),
        ("v1", "Service"),
        ("operators.coreos.com/v1alpha1", "ClusterServiceVersion"),
    ]

    found = collect({"apiVersion": a, "kind": k, "metadata": {"name": k}} for a, k in kinds)

    assert [len(each) for each in (found.webhooks, found.certificates, found.scorecard)] == [
        1,
        1,
        1,
    ]
    assert [len(each) for each in (found.services, found.csvs, found.left)] == [1, 1, 1]
    assert namespace_of(one("Deployment")) == "shop-system"

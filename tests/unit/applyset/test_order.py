"""The order of installation."""

import pytest

from kubewright.api.kind import GroupVersionKind, ObjectKey
from kubewright.applyset import ObjectName, Phase, members_of, phase_of, phases_of
from tests.unit.applyset.objects import (
    config,
    crd,
    deployment,
    named,
    namespace,
    shop,
    webhooks,
)


def test_each_object_finds_what_it_needs() -> None:
    """Namespaces, kinds, settings, pods, custom objects, and webhooks when there is who answers."""
    documents = [webhooks(), shop(), deployment(), config(), crd(), namespace()]

    phases = phases_of(members_of(documents))

    assert [(phase.name, [one.name.gvk.kind for one in some]) for phase, some in phases] == [
        ("NAMESPACES", ["Namespace"]),
        ("DEFINITIONS", ["CustomResourceDefinition"]),
        ("CONFIGURATION", ["ConfigMap"]),
        ("WORKLOADS", ["Deployment"]),
        ("CUSTOM_OBJECTS", ["Shop"]),
        ("INTERCEPTORS", ["ValidatingWebhookConfiguration"]),
    ]


def test_objects_of_one_phase_stay_as_they_were_given() -> None:
    """Reports then read like the files."""
    members = members_of([config("b"), config("a"), config("c")])

    ((_, some),) = phases_of(members)

    assert [one.name.key.name for one in some] == ["b", "a", "c"]


@pytest.mark.parametrize(
    ("version", "kind", "phase"),
    [
        ("v1", "Service", Phase.CONFIGURATION),
        ("rbac.authorization.k8s.io/v1", "ClusterRole", Phase.CONFIGURATION),
        ("networking.k8s.io/v1", "Ingress", Phase.CONFIGURATION),
        ("policy/v1", "PodDisruptionBudget", Phase.CONFIGURATION),
        ("batch/v1", "Job", Phase.WORKLOADS),
        ("autoscaling/v2", "HorizontalPodAutoscaler", Phase.WORKLOADS),
        ("cert-manager.io/v1", "Certificate", Phase.CUSTOM_OBJECTS),
        ("apiregistration.k8s.io/v1", "APIService", Phase.INTERCEPTORS),
    ],
)
def test_kinds_are_known_by_their_group(version: str, kind: str, phase: Phase) -> None:
    """A kind that nobody has heard of is custom, and waits for its operator."""
    name = ObjectName(GroupVersionKind.of(version, kind), ObjectKey("", "a"))

    assert phase_of(name) is phase


def test_a_kind_of_the_set_is_custom_whatever_its_group_is_called() -> None:
    """Some CRDs are in groups that end in k8s.io, as those of the Gateway API."""
    definition = crd()
    definition["spec"]["group"] = "example.k8s.io"
    custom = named("example.k8s.io/v1", "Shop", "a")

    phases = dict(phases_of(members_of([custom, definition])))

    assert [one.name.gvk.kind for one in phases[Phase.CUSTOM_OBJECTS]] == ["Shop"]

"""Warnings about pods that are taken."""

from typing import Any

import pytest

from kubewright.apiserver.builtin.core.pod.warnings import spec_warnings, template_warnings

Obj = dict[str, Any]
HERE = "spec.containers[0]"


def warnings(**container: Any) -> list[str]:
    return list(spec_warnings({"containers": [container]}, "spec"))


@pytest.mark.parametrize(
    ("container", "expected"),
    [
        ({"env": [{"name": "A", "value": "x"}, {"name": "A", "value": "$(A):y"}]}, []),
        (
            {"env": [{"name": "A", "value": "x"}, {"name": "A", "value": "y"}]},
            [
                (
                    f'{HERE}.env[1]: hides previous definition of "A", which may be dropped when '
                    "using apply"
                )
            ],
        ),
        (
            {"resources": {"limits": {"memory": "100m"}}},
            [
                (
                    f'{HERE}.resources.limits[memory]: fractional byte value "100m" is invalid, '
                    "must be an integer"
                )
            ],
        ),
        (
            {"ports": [{"containerPort": 80, "protocol": "TCP"}] * 2},
            [f"{HERE}.ports[1]: duplicate port definition with {HERE}.ports[0]"],
        ),
        (
            {"ports": [{"containerPort": 80, "name": "a"}, {"containerPort": 81, "name": "a"}]},
            [
                (
                    f'{HERE}.ports[1]: duplicate port name "a" with {HERE}.ports[0], services and '
                    f"probes that select ports by name will use {HERE}.ports[0]"
                )
            ],
        ),
    ],
)
def test_a_container_that_was_probably_meant_otherwise_is_noted(
    container: Any, expected: list[str]
) -> None:
    """The pod is valid, but probably does not do what its author meant."""
    assert warnings(**container) == expected


def test_what_is_deprecated_is_noted() -> None:
    """Users learn about deprecations long before a field is removed."""
    spec = {
        "nodeSelector": {"beta.kubernetes.io/os": "linux"},
        "volumes": [{"name": "v", "gitRepo": {"repository": "r"}}],
        "imagePullSecrets": [{}],
    }

    assert list(spec_warnings(spec, "spec")) == [
        (
            "spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "
            '"kubernetes.io/os" instead'
        ),
        "spec.volumes[0].gitRepo: deprecated in v1.11, and disabled by default in v1.33+",
        'spec.imagePullSecrets[0].name: invalid empty name ""',
    ]


APPARMOR = "container.apparmor.security.beta.kubernetes.io/c"
DEPRECATED = 'deprecated since v1.30; use the "appArmorProfile" field instead'


@pytest.mark.parametrize(
    ("annotations", "security", "expected"),
    [
        ({APPARMOR: "unconfined"}, {}, [f"spec.template.metadata.annotations[{APPARMOR}]"]),
        ({APPARMOR: "unconfined"}, {"appArmorProfile": {"type": "Unconfined"}}, []),
        ({"seccomp.security.alpha.kubernetes.io/pod": "x"}, {"seccompProfile": {"type": "x"}}, []),
        (
            {"scheduler.alpha.kubernetes.io/critical-pod": ""},
            {},
            ["spec.template.metadata.annotations[scheduler.alpha.kubernetes.io/critical-pod]"],
        ),
    ],
)
def test_annotations_that_fields_have_replaced_are_named(
    annotations: Obj, security: Obj, expected: list[str]
) -> None:
    """There is no warning if the field has the same value."""
    spec = {"containers": [{"name": "c"}], "securityContext": security}
    template = {"metadata": {"annotations": annotations}, "spec": spec}

    found = list(template_warnings(template, "spec.template"))

    assert [text.partition(": ")[0] for text in found] == expected
    assert all(DEPRECATED in text for text in found if APPARMOR in text)


def test_affinity_is_looked_at() -> None:
    """Labels of old, and selectors that select nothing."""
    term = {"matchExpressions": [{"key": "beta.kubernetes.io/os", "operator": "Exists"}]}
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    affinity = {
        "nodeAffinity": {required: {"nodeSelectorTerms": [term]}},
        "podAntiAffinity": {required: [{"topologyKey": "x"}]},
    }

    found = list(spec_warnings({"affinity": affinity, "terminationGracePeriodSeconds": -1}, "spec"))

    assert found == [
        (
            f"spec.affinity.nodeAffinity.{required}.nodeSelectorTerms[0].matchExpressions[0].key:"
            ' beta.kubernetes.io/os is deprecated since v1.14; use "kubernetes.io/os" instead'
        ),
        (
            f"spec.affinity.podAntiAffinity.{required}[0].labelSelector: a null labelSelector"
            " results in matching no pod"
        ),
        (
            "spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and"
            " will be treated as 1"
        ),
    ]


def test_many_equal_ports_are_not_compared_each_with_each() -> None:
    """A pod of 3 MB has ten thousand of them, and a client reads a few warnings."""
    found = warnings(ports=[{"containerPort": 80, "protocol": "TCP"}] * 1000)

    assert len(found) <= 16 * 1000

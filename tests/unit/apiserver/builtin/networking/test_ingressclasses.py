from typing import Any

import pytest

from tests.unit.apiserver.builtin.kind_server import KindServer

GROUP = "networking.k8s.io"


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ({}, "spec.controller: Required value"),
        ({"controller": "x"}, 'must be a domain-prefixed path (such as "acme.io/foo")'),
        ({"controller": "a/b c"}, "Invalid path (regex used for validation is"),
        ({"controller": "a/" + "b" * 250}, "spec.controller: Too long: may not be more than 250"),
        ({"controller": "a/b", "parameters": {}}, "spec.parameters.kind: Required value"),
        (
            {"controller": "a/b", "parameters": {"kind": "K", "name": "n", "namespace": "x"}},
            "spec.parameters.namespace: Forbidden: `parameters.scope` is set to 'Cluster'",
        ),
        (
            {"controller": "a/b", "parameters": {"kind": "K", "name": "n", "scope": "Namespace"}},
            "spec.parameters.namespace: Required value: `parameters.scope` is set to 'Namespace'",
        ),
        ({"controller": "a/b"}, ""),
    ],
)
def test_an_ingress_class_names_its_controller(spec: dict[str, Any], problem: str) -> None:
    """Controllers look for their own name."""
    found = KindServer(GROUP, "ingressclasses").refusal({"spec": spec})

    assert problem in found
    assert bool(problem) == bool(found)


def test_the_controller_of_a_class_stays() -> None:
    """Another controller would take over existing Ingresses."""
    server = KindServer(GROUP, "ingressclasses")
    found = server.create({"spec": {"controller": "a/b"}})

    problem = server.refused_change(found, spec={"controller": "a/c"})

    assert problem == 'spec.controller: Invalid value: "a/c": field is immutable'

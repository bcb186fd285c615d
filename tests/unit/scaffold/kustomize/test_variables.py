"""Variables in the fields of objects."""

from typing import Any

import msgspec
import pytest

from kubewright.scaffold.kustomize.collection import Collection
from kubewright.scaffold.kustomize.fields import Variable
from kubewright.scaffold.kustomize.fieldspec import FieldSpec
from kubewright.scaffold.kustomize.problem import ProblemError
from kubewright.scaffold.kustomize.resource import resources
from kubewright.scaffold.kustomize.variables import Variables

SOME = """\
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {ports: [{port: 80}]}
---
kind: Shop
metadata: {name: a}
spec: {args: [$(NAME), "$(PORT)", "http://$(NAME):$(PORT)", $$(NAME), $(OTHER)], port: $(PORT)}
"""
NAME = {"name": "NAME", "objref": {"apiVersion": "v1", "kind": "Service", "name": "web"}}
PORT = {**NAME, "name": "PORT", "fieldref": {"fieldPath": "spec.ports[0].port"}}


def resolved(*declared: dict[str, Any]) -> Any:
    """Return the spec of the Shop."""
    found, variables = Collection(resources(SOME, place="")), Variables()
    variables.declare([msgspec.convert(one, Variable) for one in declared], found)
    variables.resolve(found, [FieldSpec("spec/args"), FieldSpec("spec/port")])
    return list(found)[1].finished()["spec"]


def test_values_take_the_place_of_names() -> None:
    """One that stands alone keeps its type; two dollar signs mean one."""
    assert resolved(NAME, PORT) == {
        "args": ["web", 80, "http://web:80", "$(NAME)", "$(OTHER)"],
        "port": 80,
    }


def test_without_variables_nothing_changes() -> None:
    """Kubernetes has the same signs for the environment of a container."""
    assert resolved()["args"][3] == "$$(NAME)"


@pytest.mark.parametrize(
    ("declared", "why"),
    [
        ([NAME, NAME], "the variable NAME is there twice; rename one of them"),
        (
            [{**NAME, "objref": {"kind": "Service", "name": "none"}}],
            "NAME is read from Service none, which is not there",
        ),
        (
            [{**NAME, "fieldref": {"fieldPath": "spec.none"}}],
            "NAME is read from spec.none of Service.v1 web, which has none",
        ),
    ],
)
def test_a_variable_without_a_value_is_refused(declared: list[Any], why: str) -> None:
    """Its name would be deployed."""
    with pytest.raises(ProblemError) as caught:
        resolved(*declared)

    assert str(caught.value) == why


def test_variables_of_a_base_are_known_above() -> None:
    """But not two of the same name."""
    one, other = Variables(), Variables()
    for each in (one, other):
        each.declare([msgspec.convert(NAME, Variable)], Collection())

    with pytest.raises(ProblemError, match="is there twice"):
        one.merge(other)
    assert [variable.name for variable in one] == ["NAME"]

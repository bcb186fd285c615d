"""The expressions of one policy."""

from typing import Any

import pytest

from kubewright.apiserver.admission.attributes import GroupVersionKind
from kubewright.apiserver.admission.mutation import MutatingPolicy, MutationError
from tests.unit.apiserver.admission.writes import PlainObjects, config_map

Obj = dict[str, Any]
KIND = GroupVersionKind("", "v1", "ConfigMap")


def policy(*expressions: str, **spec: Any) -> MutatingPolicy:
    mutations = [
        {"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": one}}
        for one in expressions
    ]
    return MutatingPolicy({"metadata": {"name": "p"}, "spec": {"mutations": mutations, **spec}})


def mutated(asked: MutatingPolicy) -> Obj:
    return asked.mutate(
        config_map(), lambda obj: {"object": obj}, objects=PlainObjects(), kind=KIND
    )


def test_each_mutation_sees_what_those_before_it_made() -> None:
    """They are evaluated in order; variables anew for each."""
    count = [{"name": "n", "expression": "size(object.data)"}]

    found = mutated(
        policy(
            "Object{data: {'a': '1'}}", "Object{data: {'n': string(variables.n)}}", variables=count
        )
    )

    assert found["data"] == {"n": "1"}


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("1 +", "compilation error"),
        ("'text'", "must evaluate to Object but got string"),
        ("Object{a: object.nix}", "no such key: nix"),
    ],
)
def test_what_cannot_be_evaluated_is_told(expression: str, said: str) -> None:
    """The failure policy decides what comes of it."""
    with pytest.raises(MutationError, match=said):
        mutated(policy(expression))


def test_conditions_say_whether_a_write_is_meant() -> None:
    """One that fails is an error, unless failures are tolerated."""
    broken = [{"name": "c", "expression": "object.nix == 1"}]
    values = {"object": config_map()}

    assert not policy(matchConditions=[{"name": "c", "expression": "false"}]).is_about(values)
    assert not policy(matchConditions=broken, failurePolicy="Ignore").is_about(values)
    with pytest.raises(MutationError, match="no such key: nix"):
        policy(matchConditions=broken).is_about(values)

"""Built-in types in somebody's CRD are found, and nothing else is taken for one."""

from typing import Any

import pytest

from kubewright.crd import Options, schema_of
from kubewright.crd.recognition import Builtin, find_builtin
from kubewright.kinds.batch.v1 import JobTemplateSpec
from kubewright.kinds.core.v1 import PodSpec, SecretKeySelector, Toleration

TEXT = {"type": "string"}


@pytest.mark.parametrize("kind", [JobTemplateSpec, PodSpec, Toleration])
def test_a_builtin_type_is_found(kind: Any) -> None:
    """Whatever the descriptions say."""
    found = find_builtin({**schema_of(kind), "description": "What runs.", "default": {}})

    assert found is not None
    assert (found.label.rpartition(".")[2], found.is_newest) == (kind.__name__, True)


def test_the_newest_version_counts_of_those_that_agree() -> None:
    """Then the source need not name one."""
    old = schema_of(PodSpec, options=Options(kubernetes="1.28"))

    assert find_builtin(old) == Builtin("core.v1.PodSpec", "1.28")
    assert find_builtin(schema_of(PodSpec)) == Builtin("core.v1.PodSpec", "1.37")


def test_a_type_with_one_difference_is_another() -> None:
    """Its class would have another schema."""
    schema = schema_of(PodSpec)
    schema["properties"]["priority"]["maximum"] = 9

    assert find_builtin(schema) is None


def test_of_types_that_are_alike_the_field_tells() -> None:
    """The keys of Secrets and ConfigMaps have one schema; to guess would mislead the reader."""
    schema = schema_of(SecretKeySelector)

    assert find_builtin(schema, "tokenSecret") == Builtin("core.v1.SecretKeySelector", "1.37")
    assert find_builtin(schema, "configMapKeyRef") == Builtin(
        "core.v1.ConfigMapKeySelector", "1.37"
    )
    assert find_builtin(schema, "token") is None


def test_a_small_object_is_not_taken_for_one() -> None:
    """A name and a value are what anybody may have."""
    pair = {
        "type": "object",
        "properties": {"name": TEXT, "value": TEXT},
        "required": ["name", "value"],
    }

    assert find_builtin(pair) is None

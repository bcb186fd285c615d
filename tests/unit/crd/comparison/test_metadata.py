"""What every object has, whether its schema names it or not."""

from typing import Any

import pytest

from kubewright.crd.comparison.metadata import whole_object

STRING = {"type": "string"}
PLAIN = {"type": "object", "properties": {"name": STRING, "generateName": STRING}}


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"metadata": {"type": "object"}},
        {"metadata": {"type": "object", "description": "Its name, and more."}},
        {"metadata": {}, "apiVersion": STRING, "kind": STRING},
        {"metadata": {"type": "object", "properties": {"name": STRING}}},
    ],
)
def test_plain_metadata_is_the_same_however_it_is_written(fields: dict[str, Any]) -> None:
    """Some CRDs name apiVersion, kind and metadata, others do not, and it means the same."""
    found = whole_object({"type": "object", "properties": fields})

    assert found == {"type": "object", "properties": {"metadata": PLAIN}}


def test_limits_of_the_name_and_other_fields_stay() -> None:
    """They are what is compared."""
    limited = {**STRING, "maxLength": 5}
    schema = {"properties": {"metadata": {"properties": {"name": limited}}, "spec": STRING}}

    found = whole_object(schema)["properties"]

    assert found["metadata"]["properties"] == {"name": limited, "generateName": STRING}
    assert found["spec"] == STRING
    assert whole_object({})["properties"] == {"metadata": PLAIN}

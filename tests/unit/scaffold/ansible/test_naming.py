import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubewright.scaffold.ansible.naming import (
    field_name,
    fields_of,
    is_field,
    schema_of_fields,
    text_with_fields,
)


@pytest.mark.parametrize(
    ("variable", "field"),
    [
        ("size", "size"),
        ("container_port", "containerPort"),
        ("pod_a", "podA"),
        ("a_b_c", "a_b_c"),
        ("x2y_port", "x2yPort"),
        ("http2_port", "http2_port"),
        ("port_2", "port_2"),
        ("HTTP_PROXY", "HTTP_PROXY"),
        ("camelCase", "camelCase"),
        ("two__lines", "two__lines"),
        ("end_", "end_"),
        ("_own", "_own"),
    ],
)
def test_a_field_is_written_as_kubernetes_writes_it(variable: str, field: str) -> None:
    """Unless that would be another variable, turned back."""
    assert field_name(variable) == field


@settings(deadline=None)  # the first example takes its time
@given(st.from_regex(r"[a-z][a-z0-9]{0,3}(_[a-z0-9]{1,3}){0,3}", fullmatch=True))
def test_a_field_is_the_variable_again(variable: str) -> None:
    """Operators part it between a small letter and a capital one, as operator-sdk does."""
    field = field_name(variable)

    parted = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", field)
    assert parted.lower() == variable


def test_what_is_not_for_users_is_left_out() -> None:
    """What the role computes, and what it calls its own; at any depth."""
    values = {
        "pod_count": 1,
        "_own": 2,
        "url": "http://{{ host }}",
        "more": {"ab_cd": [{"c_d": 1}], "own": "{% if x %}y{% endif %}"},
    }

    assert fields_of(values) == {"podCount": 1, "more": {"abCd": [{"cD": 1}]}}
    assert is_field("pod_count")
    assert not is_field("_own")


def test_the_schema_has_the_fields() -> None:
    """What is computed may be anything: users may say something else."""
    text: dict[str, Any] = {"type": "string", "description": "Where."}
    inner = {"type": "object", "properties": {"c_d": {"type": "integer"}}}
    schema = {"type": "object", "properties": {"_own": {}, "a_url": text, "more": inner}}

    found = schema_of_fields(schema, {"a_url": "{{ host }}", "more": {"c_d": 1}})

    assert found["properties"] == {
        "aUrl": {"x-kubernetes-preserve-unknown-fields": True, "description": "Where."},
        "more": {"type": "object", "properties": {"cD": {"type": "integer"}}},
    }


def test_comments_and_values_stay_in_the_text() -> None:
    """Only keys are renamed."""
    text = "# pod_count: how many\npod_count: 1\nlist:\n  - the_key: a_b\nurl: http://a_b:80\n"

    assert text_with_fields(text) == (
        "# pod_count: how many\npodCount: 1\nlist:\n  - theKey: a_b\nurl: http://a_b:80\n"
    )

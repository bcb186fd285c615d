from typing import Any

import pytest

from tests.unit.apiserver.builtin.kind_server import KindServer


@pytest.mark.parametrize("plural", ["secrets", "configmaps"])
def test_what_is_immutable_stays(plural: str) -> None:
    """Kubelets stop watching immutable objects, and would miss a change."""
    server = KindServer("", plural)
    found = server.create({"immutable": True, "data": {"a": "Yg=="}})

    problem = server.refused_change(found, immutable=False, data={})

    fixed = "Forbidden: field is immutable when `immutable` is set"
    assert problem == f"immutable: {fixed}; data: {fixed}"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (
            {"data": {"a": "x"}, "binaryData": {"a": "YQ=="}},
            "duplicate of key present in binaryData",
        ),
        ({"data": {"a": "x" * (1024 * 1024 + 1)}}, "[]: Too long: may not be more than 1048576 by"),
        ({"binaryData": {"a/b": ""}}, "binaryData[a/b]: Invalid value"),
        ({"data": {"a": "x" * 1024 * 1024}}, ""),
    ],
)
def test_a_config_map_has_keys_that_are_file_names(content: dict[str, Any], problem: str) -> None:
    """They become files when it is mounted."""
    found = KindServer("", "configmaps").refusal(content)

    assert problem in found
    assert bool(problem) == bool(found)

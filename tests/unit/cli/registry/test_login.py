"""What docker login has kept."""

import json
from pathlib import Path

import pytest

from kubewright.cli.registry.login import find_login


@pytest.mark.parametrize(
    ("auths", "host", "found"),
    [
        ({"a.b": {"auth": "dTpw"}}, "a.b", "dTpw"),
        ({"https://a.b": {"auth": "dTpw"}}, "a.b", "dTpw"),
        ({"https://index.docker.io/v1/": {"auth": "dTpw"}}, "docker.io", "dTpw"),
        ({"a.b": {}}, "a.b", ""),
        ({"a.b": {"auth": "dTpw"}}, "a.c", ""),
        ([], "a.b", ""),
    ],
)
def test_it_is_found_by_the_host(tmp_path: Path, auths: object, host: str, found: str) -> None:
    """As docker writes it."""
    (tmp_path / "config.json").write_text(json.dumps({"auths": auths}))

    assert find_login(host) == found


@pytest.mark.parametrize("text", ["{", "[]", "null"])
def test_a_broken_file_is_no_login(tmp_path: Path, text: str) -> None:
    """Most registries let everybody read."""
    assert find_login("a.b") == ""
    (tmp_path / "config.json").write_text(text)

    assert find_login("a.b") == ""

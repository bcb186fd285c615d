"""Manifests from files and URLs."""

from pathlib import Path

import pytest

from kubewright.cli.olm.manifests import read_manifests
from kubewright.errors import ConfigError


def test_files_are_read_in_their_order(tmp_path: Path) -> None:
    """CRDs are named first."""
    text = "apiVersion: v1\nkind: Namespace\nmetadata: {name: %s}\n"
    (tmp_path / "a").write_text(f"{text % 'one'}---\n{text % 'two'}")
    (tmp_path / "b").write_text(text % "three")

    found = read_manifests([str(tmp_path / "a"), str(tmp_path / "b")])

    assert [one["metadata"]["name"] for one in found] == ["one", "two", "three"]
    assert read_manifests([]) == []


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "has no objects in it"),
        (b"a: [", "this is not YAML"),
        (b"- a", "line 1: this should be a mapping"),
        (b"kind: A", "line 1: this is not an object: it needs apiVersion, kind and"),
        (b"\xff", "is not a text in UTF-8"),
        (None, "cannot read .*: No such file or directory"),
    ],
)
def test_what_is_no_manifest_is_refused(
    tmp_path: Path, content: bytes | None, message: str
) -> None:
    """An HTML page in place of a file is what people download by mistake."""
    place = tmp_path / "olm.yaml"
    if content is not None:
        place.write_bytes(content)

    with pytest.raises(ConfigError, match=message):
        read_manifests([str(place)])


def test_a_url_that_does_not_answer_is_told() -> None:
    """Without the password in it."""
    with pytest.raises(ConfigError, match=r"cannot read http://localhost:1/olm.yaml: ") as raised:
        read_manifests(["http://me:secret@localhost:1/olm.yaml"])

    assert "secret" not in str(raised.value)

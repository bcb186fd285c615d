from pathlib import Path

import pytest

from kubewright.cli.dev.samples import apply_samples, find_samples
from kubewright.errors import APIError, ConfigError
from kubewright.kinds.core.v1 import ConfigMap
from kubewright.testing import EmbeddedServer

SAMPLE = "{apiVersion: v1, kind: ConfigMap, metadata: {name: %s}}\n"


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_samples_are_where_projects_have_them(tmp_path: Path) -> None:
    """As kubebuilder lays them out, in a folder of their own, or beside the operator."""
    wanted = [
        write(tmp_path / "samples" / "a.yaml", ""),
        write(tmp_path / "config" / "samples" / "b.yml", ""),
        write(tmp_path / "at-sample.yaml", ""),
    ]
    for name in ("config/samples/kustomization.yaml", "crd.yaml", "samples/notes.txt"):
        write(tmp_path / name, "")

    assert find_samples(tmp_path) == wanted


async def test_all_objects_of_all_files_are_applied(tmp_path: Path) -> None:
    """Twice is not a mistake: the operator is started again and again."""
    first = write(tmp_path / "a.yaml", f"{SAMPLE % 'a'}---\n---\n{SAMPLE % 'b'}")
    second = write(tmp_path / "c.yaml", SAMPLE % "c")

    async with EmbeddedServer() as server, server.client() as client:
        await apply_samples(client, [first, second])
        names = await apply_samples(client, [first, second])

        assert names == ["configmap/a", "configmap/b", "configmap/c"]
        assert await client.find(ConfigMap, "c") is not None


@pytest.mark.parametrize("text", ["[1]", "{a: b}", "{", "\x00"])
async def test_what_is_no_object_is_named(text: str, tmp_path: Path) -> None:
    """The file is the user's, and so is the mistake."""
    path = write(tmp_path / "a.yaml", text)

    async with EmbeddedServer() as server, server.client() as client:
        with pytest.raises(ConfigError, match=str(path)):
            await apply_samples(client, [path])


async def test_what_the_server_refuses_is_said(tmp_path: Path) -> None:
    """With the words of the server."""
    path = write(tmp_path / "a.yaml", SAMPLE % "A_b")

    async with EmbeddedServer() as server, server.client() as client:
        with pytest.raises(APIError, match="A_b"):
            await apply_samples(client, [path])

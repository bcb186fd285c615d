"""Where CRDs come from; and what is said where they do not come."""

import io
import os
from pathlib import Path

import pytest

from kubewright.cli.generate.source import Source, read_source, read_sources
from kubewright.crd import to_yaml
from kubewright.errors import ConfigError, SchemaError
from kubewright.testing import EmbeddedServer, probe
from tests.unit.cli.generate.crds import shop_crd, write_crds

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


class Stdin:
    """A standard input with these bytes."""

    def __init__(self, data: bytes) -> None:
        self.buffer = io.BytesIO(data)


def test_a_file_is_read(tmp_path: Path) -> None:
    """With other objects in it, which are counted."""
    path = write_crds(tmp_path / "all.yaml", shop_crd(), {"kind": "Role"})

    found = read_source(Source(str(path)))

    assert list(found.crds) == ["shops.example.com"]
    assert found.places == {"shops.example.com": str(path)}
    assert found.others == ["Role"]


def test_a_folder_is_read_at_any_depth(tmp_path: Path) -> None:
    """But not what is hidden there, such as the history of git, and not what is not YAML."""
    write_crds(tmp_path / "a/b/shops.yml", shop_crd())
    write_crds(tmp_path / "stores.json", shop_crd("stores"))
    write_crds(tmp_path / ".git/old.yaml", shop_crd("olds"))
    (tmp_path / "README.md").write_text("{{ no yaml")

    found = read_source(Source(str(tmp_path)))

    assert sorted(found.crds) == ["shops.example.com", "stores.example.com"]


def test_the_standard_input_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """That is the end of a pipe from kubectl."""
    monkeypatch.setattr("sys.stdin", Stdin(to_yaml(shop_crd()).encode()))

    assert list(read_source(Source("-")).crds) == ["shops.example.com"]


def test_a_cluster_is_read() -> None:
    """Without what the server has added, other than the status, which a comparison needs."""
    with EmbeddedServer() as server:
        assert probe.ask(server, "POST", CRDS, body=shop_crd()).status == 201

        found = read_source(Source("cluster", kubeconfig=server.kubeconfig_file))

    (crd,) = found.crds.values()
    assert crd["metadata"] == {"name": "shops.example.com"}
    assert crd["spec"]["versions"] == shop_crd()["spec"]["versions"]
    assert crd["status"]["storedVersions"] == ["v1"]


def test_what_kubectl_has_noted_is_left_out(tmp_path: Path) -> None:
    """The annotation has the whole CRD once more, and would go into the class."""
    crd = shop_crd()
    crd["metadata"] |= {
        "uid": "1",
        "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{}", "a": "b"},
    }

    found = read_source(Source(str(write_crds(tmp_path / "a.yaml", crd))))

    metadata = found.crds["shops.example.com"]["metadata"]
    assert metadata == {"name": "shops.example.com", "annotations": {"a": "b"}}


def test_one_crd_in_two_places_is_one(tmp_path: Path) -> None:
    """Projects have each CRD in a file of its own, and once more in the manifest of a release."""
    write_crds(tmp_path / "a.yaml", shop_crd())
    write_crds(tmp_path / "b.yaml", shop_crd())

    assert len(read_source(Source(str(tmp_path))).crds) == 1


def test_two_crds_of_one_name_are_not_mixed(tmp_path: Path) -> None:
    """Which of them would be taken would depend on the names of the files."""
    one = write_crds(tmp_path / "a.yaml", shop_crd())
    other = write_crds(tmp_path / "b.yaml", shop_crd(name={"type": "string"}))

    with pytest.raises(ConfigError) as caught:
        read_sources([Source(str(one)), Source(str(other))])

    assert str(caught.value) == (
        f"shops.example.com is there twice, and differs: in {one} and in {other}. Name the file"
        " that you mean"
    )


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("missing.yaml", None, "there is no file or folder {path}"),
        ("empty.yaml", b"", "there is no CustomResourceDefinition in {path}: it is empty"),
        (
            "role.yaml",
            b"kind: Role",
            "there is no CustomResourceDefinition in {path}, only other objects (Role)",
        ),
        (
            "image.png",
            b"\x89PNG\r\n\xff",
            "{path} is not a text in UTF-8 (byte 0). Is it what you mean?",
        ),
    ],
)
def test_what_is_no_crd_is_said(
    tmp_path: Path, name: str, content: bytes | None, message: str
) -> None:
    """The path is in the sentence, since it may come from a script."""
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)

    with pytest.raises(ConfigError) as caught:
        read_source(Source(str(path)))

    assert str(caught.value) == message.format(path=path)


def test_an_empty_folder_is_said(tmp_path: Path) -> None:
    """Perhaps it is the wrong one."""
    with pytest.raises(ConfigError, match=r"it has no file \*.yaml, \*.yml or \*.json"):
        read_source(Source(str(tmp_path)))


def test_a_broken_file_in_a_folder_is_said(tmp_path: Path) -> None:
    """A folder of which a part is skipped would be worse than none."""
    write_crds(tmp_path / "a.yaml", shop_crd())
    (tmp_path / "b.yaml").write_text("a:\n  b: {{ .Values.c }}: d")

    with pytest.raises(SchemaError, match=r"(?s)b\.yaml: this is not YAML: .*Helm"):
        read_source(Source(str(tmp_path)))


def test_nothing_is_no_source() -> None:
    """A script with an empty variable."""
    with pytest.raises(ConfigError, match="Name a file, a folder, a URL, - or cluster"):
        read_source(Source(""))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_said(tmp_path: Path) -> None:
    """The reason is the system's."""
    path = write_crds(tmp_path / "a.yaml", shop_crd())
    path.chmod(0)

    with pytest.raises(ConfigError, match="Permission denied"):
        read_source(Source(str(path)))


def test_no_cluster_is_said(tmp_path: Path) -> None:
    """In the words of the client."""
    with pytest.raises(ConfigError, match=str(tmp_path / "none")):
        read_source(Source("cluster", kubeconfig=tmp_path / "none"))

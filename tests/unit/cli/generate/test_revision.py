"""Files of a git revision."""

import subprocess
from pathlib import Path

import pytest

from kubewright.cli.generate.revision import files_at, is_revision
from kubewright.errors import ConfigError
from tests.unit.cli.generate.crds import shop_crd, write_crds

YAML = frozenset({".yaml"})


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one commit; the current folder is its folder ``config``."""
    write_crds(tmp_path / "config/crd/shops.yaml", shop_crd())
    write_crds(tmp_path / "config/crd/stores.yaml", shop_crd("stores"))
    (tmp_path / "config/crd/README.md").write_text("text")
    who = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"]
    for arguments in (["init", "-q"], ["add", "."], [*who, "commit", "-q", "-m", "first"]):
        subprocess.run(["git", *arguments], cwd=tmp_path, check=True)
    write_crds(tmp_path / "config/crd/shops.yaml", shop_crd(name={"type": "string"}))
    monkeypatch.chdir(tmp_path / "config")
    return tmp_path


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize("path", ["crd/shops.yaml", "./crd/shops.yaml", "config/crd/shops.yaml"])
def test_a_file_is_read_as_it_was(path: str) -> None:
    """By the path from here, or from the top of the repository."""
    ((name, data),) = files_at(f"HEAD:{path}", YAML)

    assert name == f"HEAD:{path}"
    assert b"size" in data


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize("path", ["crd", "crd/", "config/crd", "."])
def test_a_folder_is_read_as_it_was(path: str) -> None:
    """Only those files that can hold CRDs."""
    found = dict(files_at(f"HEAD:{path}", YAML))

    assert [name.rpartition("/")[2] for name in found] == ["shops.yaml", "stores.yaml"]
    assert all(b"size" in data for data in found.values())


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("HEAD:crd/none.yaml", "there is no file, and git has no such revision, HEAD:crd/none"),
        ("v9:crd", "there is no file, and git has no such revision, v9:crd: "),
    ],
)
def test_what_is_not_there_is_said(text: str, message: str) -> None:
    """In the words of git, which knows why."""
    with pytest.raises(ConfigError) as caught:
        list(files_at(text, YAML))

    assert message in str(caught.value)


def test_outside_a_repository_git_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Perhaps it is the wrong folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))

    with pytest.raises(ConfigError, match="not a git repository"):
        list(files_at("HEAD:crd", YAML))


def test_without_git_it_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A container of a build often has none."""
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(ConfigError, match="needs the program git"):
        list(files_at("HEAD:crd", YAML))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("HEAD:crd", True),
        ("v1.2.3:config/crd", True),
        ("C:\\crd", False),
        ("crd.yaml", False),
        (":crd", False),
        ("--upload-pack=x:crd", False),
    ],
)
def test_a_revision_is_told_from_a_path(text: str, expected: bool) -> None:  # a parameter
    """And from an option, which git would obey."""
    assert is_revision(text) is expected

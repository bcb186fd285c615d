from pathlib import Path

import pytest

from kubewright._pki.files import check_writable, keep_private, named_path, write_private
from kubewright.errors import ConfigError


@pytest.mark.parametrize(
    ("given", "expected"), [(None, None), ("a/b", Path("a/b")), (Path("a"), Path("a"))]
)
def test_a_path_may_be_text(given: str | Path | None, expected: Path | None) -> None:
    """Whoever types a path types a string."""
    assert named_path("data_dir", given) == expected


def test_an_empty_path_is_not_the_current_folder() -> None:
    """A variable of a script was not set."""
    with pytest.raises(ConfigError, match="data_dir is empty"):
        named_path("data_dir", "")


def test_what_is_no_path_is_said_with_its_name() -> None:
    """Not with a line of ours."""
    with pytest.raises(TypeError, match=r"audit_log must be a path.*not 5"):
        named_path("audit_log", 5)  # type: ignore[arg-type]  # the mistake


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("missing/x", "does not exist. Make it."),
        ("file/x", "is a file. Name a folder."),
        ("folder", "it is a folder. Name a file in it."),
    ],
)
def test_a_file_that_cannot_be_is_said_with_what_to_do(
    name: str, problem: str, tmp_path: Path
) -> None:
    """Before anything is started."""
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()

    with pytest.raises(ConfigError, match=f"cannot write .*{name}: .*{problem}"):
        check_writable(tmp_path / name)
    check_writable(tmp_path / "file")


def test_other_users_lose_their_rights_and_the_owner_gains_none(tmp_path: Path) -> None:
    """A file that its owner made read-only stays so; one that is not there is no problem."""
    (path := tmp_path / "a").touch()
    path.chmod(0o444)

    keep_private(path, tmp_path / "none", path / "below")

    assert path.stat().st_mode & 0o777 == 0o400


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    """Whoever waits for the file to appear may read it at once."""
    path = tmp_path / "file"
    path.mkdir()

    with pytest.raises(OSError, match="file"):
        write_private(path, b"content")

    assert [found.name for found in tmp_path.iterdir()] == ["file"]

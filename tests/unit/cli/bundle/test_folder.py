"""The texts of a folder."""

from pathlib import Path

import pytest

from kubewright.cli.bundle.folder import place_of, read_texts
from kubewright.errors import ConfigError


def test_texts_are_read_and_the_rest_is_left_out(tmp_path: Path) -> None:
    """A picture or an editor's file in a bundle is no manifest."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a/b.yaml").write_text("x")
    (tmp_path / "a/picture").write_bytes(b"\xff\xfe")
    (tmp_path / ".hidden").write_text("x")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git/c").write_text("x")

    assert read_texts(tmp_path) == {"a/b.yaml": "x"}


def test_what_is_no_folder_is_refused(tmp_path: Path) -> None:
    """With what was expected."""
    (tmp_path / "file").write_text("x")

    for name, message in (
        ("file", "is a file, and should be the folder of a bundle"),
        ("none", "there is no bundle "),
    ):
        with pytest.raises(ConfigError, match=message):
            read_texts(tmp_path / name, what="bundle")


def test_a_huge_file_is_refused(tmp_path: Path) -> None:
    """It is a log or an archive, and would fill the memory."""
    with (tmp_path / "log.yaml").open("wb") as file:
        file.truncate((16 << 20) + 1)

    with pytest.raises(ConfigError, match="is larger than 16 MB"):
        read_texts(tmp_path)


def test_messages_name_it_as_it_was_typed() -> None:
    """Without what a shell's completion has added."""
    assert (place_of(Path("bundle/")), place_of(Path())) == ("bundle", ".")

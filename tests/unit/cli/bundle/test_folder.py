"""The texts of a folder."""

import os
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

    with pytest.raises(ConfigError, match=r"is larger than 16 MB"):
        read_texts(tmp_path)


def test_messages_name_it_as_it_was_typed() -> None:
    """Without what a shell's completion has added."""
    assert (place_of(Path("bundle/")), place_of(Path())) == ("bundle", ".")


def test_links_out_of_the_folder_are_refused(tmp_path: Path) -> None:
    """A bundle goes into a cluster; what is linked could be a password."""
    (tmp_path / "secret").write_text("x")
    folder = tmp_path / "bundle"
    folder.mkdir()
    (folder / "own.yaml").write_text("y")
    (folder / "alias.yaml").symlink_to("own.yaml")
    assert read_texts(folder) == {"alias.yaml": "y", "own.yaml": "y"}

    (folder / "out.yaml").symlink_to(tmp_path / "secret")

    with pytest.raises(ConfigError, match=r"out.yaml is a link out of .*Put the file itself there"):
        read_texts(folder)


@pytest.mark.parametrize("target", ["nowhere", "loop.yaml"])
def test_a_link_that_leads_nowhere_is_told(tmp_path: Path, target: str) -> None:
    """With its name."""
    (tmp_path / "loop.yaml").symlink_to(target)

    with pytest.raises(ConfigError, match=r"loop.yaml: the link leads nowhere"):
        read_texts(tmp_path)


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    """Nobody may ever write into it."""
    os.mkfifo(tmp_path / "pipe.yaml")

    with pytest.raises(ConfigError, match=r"pipe.yaml is not a file"):
        read_texts(tmp_path)

from pathlib import Path

import pytest

from kubewright.cli.project.outcome import put, write_manifests
from kubewright.errors import ConfigError
from kubewright.scaffold.creation import Scaffold

MADE = Scaffold(new={"b": "b\n"}, shared={"a": "a\n"}, changed={"c": "C\n"})


def test_files_are_written_in_the_order_of_their_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With a line about each."""
    (tmp_path / "c").write_text("c\n")

    put(tmp_path, MADE, force=False, dry_run=False)

    assert capsys.readouterr().out == "create  a\ncreate  b\nupdate  c\n"
    assert (tmp_path / "c").read_text() == "C\n"


def test_shared_files_that_are_there_stay_even_when_forced(tmp_path: Path) -> None:
    """They are about other kinds, too."""
    (tmp_path / "a").write_text("mine\n")

    put(tmp_path, MADE, force=True, dry_run=False)

    assert (tmp_path / "a").read_text() == "mine\n"


def test_new_files_that_are_there_stop_everything(tmp_path: Path) -> None:
    """Unless forced."""
    (tmp_path / "b").write_text("mine\n")

    with pytest.raises(ConfigError, match=r"there already: b. Nothing was changed; --force"):
        put(tmp_path, MADE, force=False, dry_run=False)
    assert not (tmp_path / "a").exists()

    put(tmp_path, MADE, force=True, dry_run=False)
    assert (tmp_path / "b").read_text() == "b\n"


def test_a_project_whose_manifests_cannot_be_made_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The scaffold stands; what is wrong is in the code that was there before."""
    write_manifests(tmp_path, run=lambda root: "shop.py:3: invalid syntax")

    said = capsys.readouterr().err
    assert said == (
        "kubewright: the manifests were not made from the code: shop.py:3: invalid syntax. Run"
        " `make manifests` when that is mended\n"
    )


def test_manifests_are_made_by_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a process of its own, which says what is wrong."""
    write_manifests(tmp_path)

    assert "the manifests were not made from the code: which operator?" in capsys.readouterr().err

from pathlib import Path

import pytest

from kubewright.cli.files import FileChange
from kubewright.cli.project.outcome import conclude, put
from kubewright.errors import ConfigError
from kubewright.scaffold.creation import Scaffold

MADE = Scaffold(new={"b": "b\n"}, shared={"a": "a\n"}, changed={"c": "C\n"})
CHANGES = [FileChange("a", None, "a\n")]


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
    conclude(tmp_path, CHANGES, manifests=True, run=lambda root: ([], "shop.py:3: invalid syntax"))

    said = capsys.readouterr()
    assert said.out == "create  a\n"
    assert said.err == (
        "kubewright: the manifests were not made from the code: shop.py:3: invalid syntax. Run"
        " `make manifests` when that is mended\n"
    )


def test_a_file_of_the_scaffold_that_is_made_anew_from_the_code_is_named_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It was created: that the command has changed it, too, is nobody's concern."""
    conclude(tmp_path, CHANGES, manifests=True, run=lambda root: (["update  a", "update  b"], ""))

    assert capsys.readouterr().out == "create  a\nupdate  b\n"


def test_nothing_is_printed_before_all_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """``kubewright create api ... | head -1`` must not leave old manifests behind."""
    printed: list[str] = []

    def make(root: Path) -> tuple[list[str], str]:
        printed.append(capsys.readouterr().out)
        return [], ""

    conclude(tmp_path, CHANGES, manifests=True, run=make)

    assert printed == [""]


def test_ctrl_c_before_the_manifests_are_made_tells_what_is_left_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The files are there by then, and go on being listed."""

    def interrupted(root: Path) -> tuple[list[str], str]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        conclude(tmp_path, CHANGES, manifests=True, run=interrupted)

    said = capsys.readouterr()
    assert said.out == "create  a\n"
    assert said.err == (
        "kubewright: the manifests were not made from the code. Run `make manifests`\n"
    )


def test_manifests_are_made_by_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a process of its own, which says what is wrong."""
    conclude(tmp_path, [], manifests=True)

    assert "the manifests were not made from the code: which operator?" in capsys.readouterr().err


def test_a_dry_run_makes_no_manifests(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They would be made from the code that is not there."""
    conclude(tmp_path, CHANGES, dry_run=True, manifests=True, run=lambda root: (["x"], "y"))

    assert capsys.readouterr() == ("would create  a\n", "")

from pathlib import Path

import pytest

from kubewright.errors import ConfigError
from kubewright.testing.assets import find_folder, get_program


def program(path: Path, mode: int = 0o755) -> Path:
    """Make an empty program at *path*."""
    path.write_text("#!/bin/sh\n")
    path.chmod(mode)
    return path


def test_folder_comes_from_the_variable_that_go_uses(tmp_path: Path) -> None:
    """Whoever has set up Go's envtest has set up ours."""
    assert find_folder({"KUBEBUILDER_ASSETS": str(tmp_path)}) == tmp_path


def test_an_explicit_folder_wins_over_the_environment(tmp_path: Path) -> None:
    """What the code says is nearer than what the shell says."""
    made = program(tmp_path / "etcd")
    environ = {"KUBEBUILDER_ASSETS": "/elsewhere", "TEST_ASSET_ETCD": "/elsewhere/etcd"}

    assert get_program("etcd", tmp_path, environ=environ) == made


def test_a_single_program_can_be_replaced(tmp_path: Path) -> None:
    """Trying another kube-apiserver must not need a copy of the folder."""
    made = program(tmp_path / "my-apiserver")
    environ = {"TEST_ASSET_KUBE_APISERVER": str(made), "KUBEBUILDER_ASSETS": "/elsewhere"}

    assert get_program("kube-apiserver", environ=environ) == made


def test_a_missing_program_is_named_with_the_place_and_the_cure(tmp_path: Path) -> None:
    """This is the first message that a newcomer to real servers meets."""
    with pytest.raises(ConfigError) as caught:
        get_program("kube-apiserver", environ={"KUBEBUILDER_ASSETS": str(tmp_path)})

    assert str(caught.value) == (
        f"cannot start a real API server: looked for kube-apiserver in {tmp_path} (from"
        " $KUBEBUILDER_ASSETS), and it is not there. Run `make real-apiserver` in a checkout of"
        " Kubewright, or `setup-envtest use -p path`, and set KUBEBUILDER_ASSETS to the folder that"
        " it prints."
    )


def test_an_unset_variable_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The message says which variable to set, not only that something is missing."""
    monkeypatch.setattr("kubewright.testing.assets.DEFAULT_FOLDER", tmp_path / "absent")

    with pytest.raises(ConfigError, match=r"\$KUBEBUILDER_ASSETS, which is not set"):
        get_program("etcd", environ={})


def test_a_file_without_permission_is_not_called_missing(tmp_path: Path) -> None:
    """A download that lost its mode bits is a different fault."""
    program(tmp_path / "etcd", mode=0o644)

    with pytest.raises(ConfigError, match="cannot be executed"):
        get_program("etcd", tmp_path)

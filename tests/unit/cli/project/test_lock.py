import subprocess
import sys
from pathlib import Path

import pytest

from kubewright.cli.project.folder import get_project
from kubewright.cli.project.lock import locked, locked_project
from kubewright.errors import ConfigError
from kubewright.scaffold.project import ProjectResource


@pytest.mark.timeout(60)
def test_a_second_command_waits_and_keeps_what_the_first_has_noted(project: Path) -> None:
    """It would write PROJECT as it has read it, without the kind of the first."""
    words = ["create", "api", "--group", "shop", "--version", "v1", "--kind", "Cart"]
    with locked_project() as place:
        second = subprocess.Popen(
            [sys.executable, "-m", "kubewright", *words, "--no-manifests"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert second.stderr is not None
        said = second.stderr.readline()  # it waits now
        place.project.put(ProjectResource(kind="Till", version="v1", group="shop"))
        (project / "PROJECT").write_text(place.project.text())

    assert second.wait() == 0, second.stderr.read()
    second.stderr.close()
    assert said == (
        f"kubewright: another command is writing into {project}; this one goes on when that ends\n"
    )
    kinds = [one.kind for one in get_project().project.resources]
    assert kinds == ["Shop", "Till", "Cart"]


def test_a_folder_that_cannot_be_locked_is_used_nevertheless(tmp_path: Path) -> None:
    """What is wrong with it, whoever writes into it says in its own words."""
    with locked(tmp_path / "gone"):
        pass

    with pytest.raises(ConfigError, match="there is no project here"), locked_project(tmp_path):
        pass

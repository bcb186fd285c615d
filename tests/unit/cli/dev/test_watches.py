"""A folder with a ``watches.yaml`` under development."""

from pathlib import Path

import pytest

from kubewright.cli.ansible.project import AnsibleProject
from kubewright.errors import ConfigError


def test_file_that_cannot_be_read_is_looked_at_again(tmp_path: Path) -> None:
    """Its author is just typing; caches and logs do not count."""
    file = tmp_path / "watches.yaml"
    file.write_text("- kind: [")
    project = AnsibleProject(str(file))
    with pytest.raises(ConfigError, match=r"watches\.yaml:1"):
        project.load()
    cache = tmp_path / "roles" / "__pycache__"
    cache.mkdir(parents=True)
    (cache / "a.pyc").write_text("")
    (tmp_path / "run.log").write_text("")
    assert project.changed() == []

    file.write_text("- kind: []")

    assert project.changed() == [file]

"""The settings of a cluster in its data folder."""

from pathlib import Path

import pytest

from kubewright.cli.cluster.settings import Settings, read_settings, write_settings
from kubewright.errors import ConfigError


def test_what_was_kept_is_read_again(tmp_path: Path) -> None:
    """The last start counts."""
    write_settings(tmp_path, Settings(nodes=3))
    write_settings(tmp_path, Settings(nodes=2, simulate=True))

    assert read_settings(tmp_path) == Settings(nodes=2, simulate=True)
    assert [path.name for path in tmp_path.iterdir()] == ["cluster.json"]


def test_a_folder_without_a_cluster_says_nothing(tmp_path: Path) -> None:
    """It may not even exist."""
    assert read_settings(tmp_path) is None
    assert read_settings(tmp_path / "none") is None


@pytest.mark.parametrize("text", ["", "{", '{"nodes": "many"}'])
def test_a_damaged_file_is_refused(tmp_path: Path, text: str) -> None:
    """To guess could run the commands of pods that were only simulated."""
    (tmp_path / "cluster.json").write_text(text)

    with pytest.raises(ConfigError, match=r"cannot read .*cluster\.json: .*Remove it to start"):
        read_settings(tmp_path)

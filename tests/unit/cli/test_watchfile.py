"""Which ``watches.yaml`` is meant."""

from pathlib import Path

import pytest

from kubewright.cli.watchfile import find_watches, front_end_of

CHART = "- group: a.b\n  version: v1\n  kind: A\n  chart: a\n"


def test_folder_and_file_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By their names, and where the user stands."""
    file = tmp_path / "watches.yaml"
    assert find_watches(str(tmp_path)) is None
    file.write_text(CHART)

    monkeypatch.chdir(tmp_path)

    assert find_watches(None) == "watches.yaml"
    assert find_watches(str(tmp_path)) == find_watches(str(file)) == str(file)


def test_other_targets_are_left_to_others(tmp_path: Path) -> None:
    """Operators in Python, modules, and watches whose entries are playbooks."""
    file = tmp_path / "watches.yaml"
    file.write_text("- kind: A\n  playbook: a.yml\n")

    assert not is_watches(str(file))
    assert find_watches("at.py") is None
    assert find_watches("shop.main:operator") is None


def test_malformed_file_is_one_of_charts(tmp_path: Path) -> None:
    """So that reading it says what is wrong."""
    file = tmp_path / "watches.yaml"
    file.write_text("- chrat: [")

    assert is_watches(str(file))

"""Which ``watches.yaml`` is meant, and what works for its kinds."""

from pathlib import Path

import pytest

from kubewright.cli.watchfile import find_watches, front_end_of

CHART = "- group: a.b\n  version: v1\n  kind: A\n  chart: a\n"
ROLE = "- group: a.b\n  version: v1\n  kind: A\n  role: a\n"


def test_folder_and_file_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By their names, and where the user stands."""
    file = tmp_path / "watches.yaml"
    assert find_watches(str(tmp_path)) is None
    file.write_text(CHART)

    monkeypatch.chdir(tmp_path)

    assert find_watches(None) == "watches.yaml"
    assert find_watches(str(tmp_path)) == find_watches(str(file)) == str(file)


def test_other_targets_are_left_to_others() -> None:
    """Operators in Python, and modules."""
    assert find_watches("at.py") is None
    assert find_watches("shop.main:operator") is None


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (CHART, "helm"),
        (ROLE, "ansible"),
        (f"---\n{CHART}{ROLE}", "ansible"),
        ("- role: a\n  kind: A\n", "ansible"),
        ("-   kind: A\n    playbook: a.yml\n", "ansible"),
        (f"{CHART}  overrideValues:\n    role: front\n", "helm"),
        ("- chrat: [", "helm"),
        ("", "helm"),
    ],
)
def test_entries_say_what_works_for_them(tmp_path: Path, text: str, wanted: str) -> None:
    """Malformed ones are read as charts, so that reading says what is wrong."""
    file = tmp_path / "watches.yaml"
    file.write_text(text)

    assert front_end_of(str(file)) == wanted


def test_misspelt_field_beside_roles_is_one_for_roles(tmp_path: Path) -> None:
    """The error then lists the fields that there are."""
    file = tmp_path / "watches.yaml"
    file.write_text("- kind: A\n  rolle: a\n")
    assert front_end_of(str(file)) == "helm"

    (tmp_path / "roles").mkdir()

    assert front_end_of(str(file)) == "ansible"
    file.write_text(CHART)
    assert front_end_of(str(file)) == "helm"

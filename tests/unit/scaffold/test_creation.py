import json
import re
import tomllib
from pathlib import Path

import pytest
import yaml

from kubewright.scaffold.creation import Scaffold
from tests.golden.scaffold.rewrite import FOLDER, Tree, golden_files, multi, read, single

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("name", sorted(path.name for path in FOLDER.glob("*.txt")))
def test_a_scaffold_is_what_review_has_seen(name: str) -> None:
    """`make golden` rewrites the files; the diff is what users will get."""
    expected = read((FOLDER / name).read_text())

    made = golden_files()[name]

    assert made.keys() == expected.keys()
    for path in expected:
        assert made[path] == expected[path], path


def test_every_golden_file_is_made() -> None:
    """One that is not claims nothing."""
    assert {path.name for path in FOLDER.glob("*.txt")} == set(golden_files())


@pytest.mark.parametrize("tree", [single, multi])
def test_all_files_are_well_formed(tree: object) -> None:
    """Also those that are not among the golden ones."""
    files = tree().files  # type: ignore[operator]

    for path, text in files.items():
        assert text.endswith("\n"), path
        assert not re.search(r"[ \t]$|\n\n\n\n|(?<!\$)\{\{ |\{%", text, re.MULTILINE), path
        if path.endswith((".yaml", ".yml")):
            assert list(yaml.safe_load_all(text)), path
        if path.endswith(".toml"):
            assert tomllib.loads(text)["project"]["name"] in {"shop", "town"}
        if path.endswith(".py"):
            compile(text, path, "exec")


def test_the_license_is_that_of_this_project() -> None:
    """It is the same text for everybody."""
    assert single().files["LICENSE"].strip("\n") == (ROOT / "LICENSE").read_text().strip("\n")


def test_the_dashboard_shows_metrics_that_there_are() -> None:
    """A panel without data looks as if all were well."""
    dashboard = json.loads(single().files["grafana/operator.json"])
    known = (ROOT / "docs/reference/metrics.md").read_text()

    shown = {
        name.removesuffix("_bucket")
        for panel in dashboard["panels"]
        for target in panel.get("targets", ())
        for name in re.findall(r"[a-z_]{9,}(?=\{)", target["expr"])
    }

    assert dashboard["title"] == "Operator shop"
    assert len(shown) > 15
    assert not [name for name in shown if f"`{name}`" not in known]


def test_the_makefile_has_the_targets_that_people_know() -> None:
    """They have them in their fingers, from kubebuilder and operator-sdk."""
    made = single().files["Makefile"]

    for target in (
        "help", "manifests", "generate", "fmt", "lint", "test", "run", "dev", "install",
        "uninstall", "docker-build", "docker-push", "docker-buildx", "deploy", "undeploy",
        "build-installer", "bundle",
    ):  # fmt: skip
        assert re.search(rf"^{target}:.* ## \w", made, re.MULTILINE), target


def test_files_that_kinds_share_are_not_written_again() -> None:
    """Users may have changed them since."""
    made = Scaffold()

    made.take({"a/__init__.py": "", "config/x/kustomization.yaml": "", "a/b.py": ""})

    assert set(made.shared) == {"a/__init__.py", "config/x/kustomization.yaml"}
    assert set(made.new) == {"a/b.py"}


def test_an_entry_is_not_added_where_the_file_is_gone() -> None:
    """Whoever removes a kustomization does not use it."""
    made = Scaffold()

    made.add_entry(lambda path: None, "config/samples/kustomization.yaml", "resources", "a.yaml")

    assert made == Scaffold()


def test_a_project_without_a_license_has_none() -> None:
    """Neither the file nor the line in pyproject.toml."""
    tree = Tree("town")
    tree.project.head(owner="", license_name="none")

    tree.init("init")

    assert "LICENSE" not in tree.files
    assert "license" not in tree.files["pyproject.toml"]
    assert "LICENSE" not in tree.files["Dockerfile"]

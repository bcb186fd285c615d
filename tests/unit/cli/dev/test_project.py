"""Loading an operator again and again, as its files change."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kubewright.cli.dev.project import Project
from kubewright.errors import ConfigError

PROGRAM = """
import kubewright as kw
from kubewright.kinds.core.v1 import ConfigMap
from {beside} import NAME

operator = kw.Operator(NAME)

@operator.reconciler(ConfigMap)
async def reconcile(one, ctx):
    pass
"""


@pytest.fixture(autouse=True)
def restored(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Leave the interpreter as it was."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    before = dict(sys.modules)
    yield
    for name in set(sys.modules) - set(before):
        if "project_test" in name or name == "shops_beside":
            del sys.modules[name]


def write(path: Path, text: str) -> None:
    """Write a file with a time that no other version of it has."""
    newer = path.stat().st_mtime_ns + 1 if path.exists() else None
    path.write_text(text)
    if newer is not None:
        os.utime(path, ns=(newer, newer))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path / "project_test.py", PROGRAM.format(beside="shops_beside"))
    write(tmp_path / "shops_beside.py", "NAME = 'first'")
    return tmp_path


def test_a_change_is_seen_in_the_file_and_in_what_it_imports(folder: Path) -> None:
    """A project is more than one file."""
    project = Project(str(folder / "project_test.py"))
    project.load()
    quiet = project.changed()

    write(folder / "shops_beside.py", "NAME = 'second'")

    assert quiet == []
    assert project.files == [folder / "project_test.py", folder / "shops_beside.py"]
    assert project.changed() == [folder / "shops_beside.py"]
    assert project.load().name == "second"
    assert project.changed() == []


def test_libraries_are_neither_watched_nor_loaded_again(folder: Path) -> None:
    """Loading Kubewright twice would make two of every class."""
    project = Project(str(folder / "project_test.py"))
    kubewright = sys.modules["kubewright"]

    project.load()
    project.load()

    assert sys.modules["kubewright"] is kubewright
    assert all(path.parent == folder for path in project.files)


def test_a_file_that_is_broken_names_the_line_and_leaves_the_old_modules(folder: Path) -> None:
    """The last good operator goes on, and may import something later."""
    project = Project(str(folder / "project_test.py"))
    project.load()
    good = sys.modules["shops_beside"]
    write(folder / "shops_beside.py", "NAME = 'third'\ndef broken(:\n")

    with pytest.raises(ConfigError, match=r'shops_beside\.py", line 2'):
        project.load()

    assert sys.modules["shops_beside"] is good
    assert project.changed() == []
    write(folder / "shops_beside.py", "NAME = 'mended'")
    assert project.changed() == [folder / "shops_beside.py"]
    assert project.load().name == "mended"


def test_what_breaks_the_first_time_is_watched_too(folder: Path) -> None:
    """Otherwise nobody would notice when the file is fixed."""
    write(folder / "shops_beside.py", "NAME = 1 / 0")
    project = Project(str(folder / "project_test.py"))

    with pytest.raises(ConfigError, match="ZeroDivisionError"):
        project.load()

    assert set(project.files) >= {folder / "project_test.py", folder / "shops_beside.py"}


def test_an_operator_without_reconcilers_is_refused(tmp_path: Path) -> None:
    """It would seem to run."""
    path = tmp_path / "project_test.py"
    write(path, "import kubewright as kw\noperator = kw.Operator('idle')\n")

    with pytest.raises(ConfigError, match="does nothing"):
        Project(str(path)).load()


def test_a_file_that_is_gone_counts_as_changed(folder: Path) -> None:
    """Editors replace a file by removing it for a moment."""
    project = Project(str(folder / "project_test.py"))
    project.load()

    (folder / "shops_beside.py").unlink()

    assert project.changed() == [folder / "shops_beside.py"]


def test_what_is_saved_while_it_is_loaded_is_not_missed(folder: Path) -> None:
    """People press the key twice."""
    project = Project(str(folder / "project_test.py"))
    project.load()
    saves_itself = (
        "import os, pathlib\nNAME = 'saved'\n"
        "path = pathlib.Path(__file__)\npath.write_text('NAME = 2')\n"
    )
    write(folder / "shops_beside.py", saves_itself)

    first = project.load().name

    assert first == "saved"
    assert project.changed() == [folder / "shops_beside.py"]


def test_a_module_is_watched_as_a_package(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`kubewright dev project_test_shop.main` is what a larger project types."""
    package = folder / "project_test_shop"
    package.mkdir()
    write(package / "__init__.py", "")
    write(package / "names.py", "NAME = 'shop'")
    write(package / "main.py", PROGRAM.format(beside="project_test_shop.names"))
    monkeypatch.chdir(folder)
    project = Project("project_test_shop.main:operator")

    operator = project.load()

    assert operator.name == "shop"
    assert project.folder == folder
    assert (project.label, project.slug) == ("project_test_shop", "project-test-shop")
    assert {path.name for path in project.files} == {"__init__.py", "main.py", "names.py"}

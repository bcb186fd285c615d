"""From what was typed to the operator that is meant."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kubewright import _json
from kubewright.ansible import AnsibleOperator, Settings
from kubewright.cli.load import (
    _project_name,
    check_declared,
    load_module,
    load_operator,
    split_target,
)
from kubewright.errors import ConfigError, SchemeError
from tests.unit.helm.charts import chart

ONE = "import kubewright as kw\noperator = kw.Operator('one')\nalias = operator\n"
TWO = f"{ONE}second = kw.Operator('two')\nnumber = 5\n"

LACKING = "import no_such_thing_at_all"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Work in a folder of its own, and forget what was imported from it."""
    known = set(sys.modules)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield tmp_path
    for name in set(sys.modules) - known:
        if getattr(sys.modules[name], "__file__", None) and str(tmp_path) in str(
            sys.modules[name].__file__
        ):
            del sys.modules[name]


def test_the_only_operator_of_a_file_is_meant(folder: Path) -> None:
    """Under whatever names it goes there."""
    (folder / "one_operator.py").write_text(ONE)

    assert load_operator("one_operator.py").name == "one"
    assert load_operator(str(folder / "one_operator.py")).name == "one"


def test_a_module_is_found_from_the_current_folder(folder: Path) -> None:
    """As with ``python -m``."""
    (folder / "some_shop").mkdir()
    (folder / "some_shop" / "__init__.py").touch()
    (folder / "some_shop" / "main.py").write_text(TWO)

    assert load_operator("some_shop.main:second").name == "two"


def test_a_file_can_import_its_neighbours(folder: Path) -> None:
    """As with ``python sub/two_files.py``."""
    (folder / "sub").mkdir()
    (folder / "sub" / "neighbour_kinds.py").write_text("NAME = 'three'")
    text = "import kubewright as kw, neighbour_kinds\nop = kw.Operator(neighbour_kinds.NAME)"
    (folder / "sub" / "two_files.py").write_text(text)

    assert load_operator("sub/two_files.py").name == "three"


def test_classes_of_a_file_know_their_module(folder: Path) -> None:
    """Their annotations are looked up there, whatever the file is called."""
    text = (
        "from __future__ import annotations\nimport kubewright as kw\n"
        "class Spec(kw.Model):\n    size: int = 1\n"
        "@kw.resource(group='example.com', version='v1')\n"
        "class Thing(kw.Resource):\n    spec: Spec\n"
    )
    for name in ("json.py", "my-operator.py"):
        (folder / name).write_text(text)

        module = load_module(name)

        assert _json.convert({"spec": {}}, module.Thing).spec.size == 1
        assert sys.modules[module.__name__] is module
        assert module.__name__.startswith("kubewright_file_")


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("", "which operator?"),
        ("nothing.py", "cannot load nothing.py: there is no such file"),
        ("no/where", "cannot load no/where: there is no such file"),
        ("no.such.module", "cannot load no.such.module: there is no such file or module"),
        (".", "it is a folder"),
        ("empty.py", "empty.py has no operator: write `operator = kw.Operator"),
        ("two.py", "two.py has several operators: operator, alias, second. Say which: two.py:op"),
        ("two.py:third", "two.py has no 'third'"),
        ("two.py:number", "'number' in two.py is a int, not an Operator"),
        ("exits.py", "it ends the program"),
        ("exits_too.main", r"cannot load exits_too.main: it ends the program, with SystemExit\(4"),
        ("plain", "cannot load plain: it is not a Python file. Its name has to end in .py"),
        ("two.py:my-op", "cannot load two.py:my-op: 'my-op' cannot be the name of a variable"),
        ("./two", "cannot load two: it is a file. Write two.py"),
        ("single.operator", "single is not a package. Is it single:operator"),
        ("lacking.main", "cannot load lacking.main: it fails.\n(.*\n)+.*no_such_thing_at_all"),
    ],
)
def test_what_cannot_be_loaded_is_said(folder: Path, target: str, message: str) -> None:
    """And what to do about it."""
    (folder / "two.py").write_text(TWO)
    (folder / "empty.py").write_text("x = 1")
    (folder / "exits.py").write_text("raise SystemExit(3)")
    (folder / "plain").write_text(TWO)
    (folder / "single.py").write_text("x = 1")
    for package, text in (("exits_too", "raise SystemExit(4)"), ("lacking", LACKING)):
        (folder / package).mkdir()
        (folder / package / "__init__.py").write_text(text)
        (folder / package / "main.py").write_text(TWO)

    with pytest.raises(ConfigError, match=message):
        load_operator(target)


def test_a_failure_is_shown_from_the_users_file_on(folder: Path) -> None:
    """How we import it is none of their trouble."""
    text = "def broken():\n    return 1 / 0\n\nbroken()\n"
    (folder / "broken_file.py").write_text(text)

    with pytest.raises(ConfigError) as caught:
        load_operator("broken_file.py")

    lines = str(caught.value).splitlines()
    assert lines[0] == "cannot load broken_file.py: it fails."
    assert "broken_file.py" in lines[2]
    assert lines[-1] == "ZeroDivisionError: division by zero"
    assert "importlib" not in str(caught.value)
    assert "broken_file" not in sys.modules


def test_a_failure_in_a_module_that_is_included_is_shown_without_what_includes_it(
    folder: Path,
) -> None:
    """In a project, every module is loaded by another one."""
    package = folder / "wide_project"
    (package / "controller").mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "controller/__init__.py").touch()
    (package / "controller/shop.py").write_text("import kubewright as kw\n\nkw.Operatr('a')\n")
    (package / "main.py").write_text(
        "import kubewright as kw\n"
        "operator = kw.Operator('a')\n"
        "operator.include('wide_project.controller')\n"
    )

    with pytest.raises(ConfigError) as caught:
        load_operator("wide_project.main")

    files = re.findall(r'File "(.*)", line', str(caught.value))
    assert [Path(one).name for one in files[:2]] == ["main.py", "shop.py"]
    assert "importlib" not in str(caught.value)
    assert "including" not in str(caught.value)


def test_a_syntax_error_is_shown_with_its_line(folder: Path) -> None:
    """Python says it best."""
    (folder / "odd_file.py").write_text("def (:\n")

    with pytest.raises(ConfigError, match="SyntaxError") as caught:
        load_operator("odd_file.py")

    assert "def (:" in str(caught.value)


def test_a_missing_import_of_a_module_is_not_taken_for_a_missing_module(folder: Path) -> None:
    """The user would look in the wrong place."""
    (folder / "needs_more.py").write_text("import no_such_thing_at_all")

    with pytest.raises(ConfigError, match="No module named 'no_such_thing_at_all'"):
        load_operator("needs_more")


@pytest.mark.parametrize(
    ("target", "parts"),
    [
        ("at.py", ("at.py", "")),
        ("at.py:operator", ("at.py", "operator")),
        ("shop.main:app.operator", ("shop.main", "app.operator")),
        ("C:/at.py", ("C:/at.py", "")),
    ],
)
def test_the_name_stands_after_the_last_colon(target: str, parts: tuple[str, str]) -> None:
    """Unless that is part of a path."""
    assert split_target(target) == parts


BY_HAND = """
import kubewright as kw

class Registry(kw.Application):
    def populate(self, manager, clusters, *, workers):
        pass

application = Registry("registry")
"""


def test_any_application_is_taken(folder: Path) -> None:
    """A program that makes its controllers by hand needs no main of its own."""
    (folder / "by_hand.py").write_text(BY_HAND)

    found = load_operator("by_hand.py")

    assert found.name == "registry"
    check_declared(found)  # what it does is its own business


def test_a_conversion_with_one_direction_is_refused_before_anything_is_installed(
    folder: Path,
) -> None:
    """It is half-written while somebody works on it: nothing else must suffer."""
    kinds = "".join(
        f"@kw.resource(group='a.example.com', version='{version}', kind='Shop', storage={stored})\n"
        f"class {name}(kw.Resource): ...\n"
        for name, version, stored in (("Shop", "v1", True), ("NewShop", "v2", False))
    )
    text = (
        f"import kubewright as kw\n{kinds}operator = kw.Operator('shops')\n"
        "conversion = operator.conversion(Shop)\n"
        "conversion.to_hub(NewShop)(lambda new: Shop())\n"
    )
    (folder / "half_converted.py").write_text(text)

    with pytest.raises(SchemeError, match=r"declare @conversion\.from_hub\(NewShop\)"):
        check_declared(load_operator("half_converted.py"))


@pytest.mark.parametrize(
    ("layout", "name"),
    [("helm.kubewright.dev/v1", "shop"), ("helm.sdk.operatorframework.io/v1", "town")],
)
def test_charts_are_called_as_their_project(layout: str, name: str, tmp_path: Path) -> None:
    """Its fields and its Lease stay its own in another folder; operator-sdk has another PROJECT."""
    home = tmp_path / "town"
    chart().write_to(home / "charts")
    (home / "watches.yaml").write_text(
        "- {group: example.com, version: v1, kind: Shop, chart: charts/shop}\n"
    )
    (home / "PROJECT").write_text(
        f"domain: example.com\nlayout: [{layout}]\nprojectName: shop\nversion: '3'\n"
    )

    assert load_operator(str(home / "watches.yaml")).name == name


@pytest.mark.parametrize(
    ("version", "name"), [("'3'", "shop"), ("3-alpha", ""), ("'3'\nrepo: [", "")]
)
def test_roles_are_called_as_their_project(version: str, name: str, tmp_path: Path) -> None:
    """A PROJECT that only operator-sdk can read is no reason not to run its roles."""
    (tmp_path / "PROJECT").write_text(
        "domain: example.com\nlayout: [ansible.sdk.operatorframework.io/v1]\nprojectName: shop\n"
        f"version: {version}\n"
    )

    assert _project_name(tmp_path) == name


def test_watches_with_roles_are_an_operator(folder: Path) -> None:
    """With the settings of the command line; a mistake in the file is told with its line."""
    (folder / "roles" / "shop").mkdir(parents=True)
    file = folder / "watches.yaml"
    file.write_text("- group: example.com\n  version: v1\n  kind: Shop\n  role: shop\n")
    settings = Settings(runs=3)

    operator = load_operator("watches.yaml", ansible=settings)

    assert isinstance(operator, AnsibleOperator)
    assert operator.settings == settings
    file.write_text("- version: v1\n  kind: Shop\n  role: nobody\n")
    with pytest.raises(ConfigError, match=r"watches\.yaml:3: there is no role 'nobody'"):
        load_operator("watches.yaml")

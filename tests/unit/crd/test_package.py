"""Packages of generated classes: they can be imported, and give the same CRDs again."""

import ast
import importlib
import subprocess
import sys
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from kubewright.api.resource import Resource
from kubewright.crd import custom_resource_definitions, to_yaml
from kubewright.crd.package import module_from, package_from, package_name
from tests.golden.crd.every import every_crd


def shop(group: str = "example.com", **fields: str) -> dict[str, Any]:
    """Return the CRD of a shop with a field for each of *fields*, in two versions."""
    properties = {name: {"type": kind} for name, kind in fields.items()}
    spec = {"type": "object", "properties": properties}
    root = {"type": "object", "properties": {"spec": spec}}
    versions = [
        {
            "name": name,
            "served": name != "v0",
            "storage": name == "v1",
            "schema": {"openAPIV3Schema": deepcopy(root)},
        }
        for name in ("v0", "v1")
    ]
    names = {"kind": "Shop", "listKind": "ShopList", "plural": "shops", "singular": "shop"}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"shops.{group}"},
        "spec": {"group": group, "names": names, "scope": "Cluster", "versions": versions},
    }


@pytest.fixture
def importable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that modules can be imported from, and are forgotten with."""
    before = set(sys.modules)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]


def imported(files: dict[str, str], folder: Path) -> list[Any]:
    """Write *files* to *folder* and return the kinds in them."""
    for path, text in files.items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(text)
    names = [path.removesuffix(".py").replace("/", ".") for path in files if "__" not in path]
    modules = [importlib.import_module(name) for name in names]
    return [
        one
        for module in modules
        for one in vars(module).values()
        if isinstance(one, type) and issubclass(one, Resource) and one.__module__ == module.__name__
    ]


def without_common_texts(crd: dict[str, Any]) -> dict[str, Any]:
    """Return *crd* without the descriptions of what all kinds have."""
    crd = deepcopy(crd)
    for version in crd["spec"]["versions"]:
        properties = version["schema"]["openAPIV3Schema"]["properties"]
        for name in ("apiVersion", "kind", "metadata"):
            properties.pop(name, None)
    return crd


def test_every_version_is_a_module_and_all_give_the_crd_again(
    importable: Path,
) -> None:
    """Also which version is stored, and which is not served."""
    crds = [shop(size="string"), shop("other.example.com", size="integer")]

    files = package_from(crds)
    kinds = imported(files, importable)

    assert sorted(files) == [
        "example_com/__init__.py",
        "example_com/v0.py",
        "example_com/v1.py",
        "other_example_com/__init__.py",
        "other_example_com/v0.py",
        "other_example_com/v1.py",
    ]
    assert {kind.__name__ for kind in kinds} == {"Shop"}
    made = [without_common_texts(crd) for crd in custom_resource_definitions(*kinds)]
    assert made == [without_common_texts(crd) for crd in crds]


def test_one_module_can_hold_everything(importable: Path) -> None:
    """Then the versions are in the names of the classes."""
    source = module_from([shop(size="string")])

    kinds = imported({"shops.py": source}, importable)

    assert [kind.__name__ for kind in kinds] == ["ShopV0", "ShopV1"]
    made = custom_resource_definitions(*kinds)
    assert [without_common_texts(crd) for crd in made] == [
        without_common_texts(shop(size="string"))
    ]


def test_the_crd_with_everything_survives(importable: Path) -> None:
    """All markers, in all versions."""
    crd = every_crd()

    kinds = imported(package_from([crd]), importable)

    (made,) = custom_resource_definitions(*kinds)
    assert to_yaml(without_common_texts(made)) == to_yaml(without_common_texts(crd))


def test_linters_and_formatters_are_content(tmp_path: Path) -> None:
    """With their default rules, and also without the line that tells the linter to look away."""
    for path, text in package_from([every_crd(), shop(l="string")]).items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text.replace("# ruff: noqa\n", ""))
    ruff = [sys.executable, "-m", "ruff"]

    lint = subprocess.run(
        [*ruff, "check", "--isolated", "--ignore", "RUF012", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    layout = subprocess.run(
        [*ruff, "format", "--isolated", "--check", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )

    assert (lint.returncode, layout.returncode) == (0, 0), lint.stdout + layout.stdout


def test_the_head_says_how_it_was_made_and_what_is_missing() -> None:
    """Whoever finds the file a year later knows what to run; a date would change each time."""
    crd = shop(size="string")
    crd["spec"]["conversion"] = {"strategy": "Webhook"}
    crd["spec"]["preserveUnknownFields"] = True

    source = module_from([crd], command="kubewright generate types --from-crd a.yaml")

    assert source.startswith(
        '"""Kinds of example.com.\n\nShop.\n\nMade by:\n\n'
        "    kubewright generate types --from-crd a.yaml\n\n"
        "What classes do not say:\n\n"
        "- Versions of Shop are converted by a webhook.\n"
        "- The server keeps unknown fields of Shop (spec.preserveUnknownFields).\n"
        '"""\n'
    )


def test_a_strange_group_does_not_break_out_of_its_docstring() -> None:
    """A CRD may come from the web, and what is made of it is imported."""
    group = 'x.com"""\nraise SystemExit("foreign code")\n"""\\'

    files = package_from([shop(group, size="integer")])

    assert all(len(ast.parse(files[path]).body) == 1 for path in files if "__init__" in path)


def test_a_strange_command_does_not_break_out_of_the_head() -> None:
    """Names of files are foreign text as well."""
    source = module_from([shop()], command='x """\nimport os\n\\"\x00')

    compile(source, "shops.py", "exec")
    assert "    x '''\nimport os\n/\"?" in source


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("example.com", "example_com"),
        ("x-k8s.io", "x_k8s_io"),
        ("v1alpha1", "v1alpha1"),
        ("3d.example.com", "k3d_example_com"),
        ("class", "class_"),
    ],
)
def test_groups_and_versions_become_names_of_modules(name: str, expected: str) -> None:
    """Python cannot import a name with a dot or a dash in it."""
    assert package_name(name) == expected


def test_groups_that_would_be_one_package_become_two() -> None:
    """`a-b.c` and `a.b.c` are two groups."""
    files = package_from([shop("a-b.c"), shop("a.b.c")])

    assert {path.partition("/")[0] for path in files} == {"a_b_c", "a_b_c2"}

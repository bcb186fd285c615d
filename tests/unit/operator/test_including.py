"""The modules of a package, imported for what they declare."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kubewright.operator import Operator
from kubewright.operator.including import import_modules


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Make the package ``included_shop``, with two modules, one of them in a package below."""
    folder = tmp_path / "included_shop"
    (folder / "deep").mkdir(parents=True)
    for name in ("__init__.py", "deep/__init__.py", "deep/till.py", "goods.py"):
        (folder / name).write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield folder
    for name in [one for one in sys.modules if one.startswith("included_shop")]:
        del sys.modules[name]


def test_every_module_below_a_package_is_imported(shop: Path) -> None:
    """A controller in a new file is found without a line in another file."""
    names = import_modules("included_shop")

    expected = ["included_shop.deep", "included_shop.deep.till", "included_shop.goods"]
    assert names == ["included_shop", *expected]
    assert set(names) <= sys.modules.keys()


def test_an_operator_has_what_included_modules_declare(shop: Path) -> None:
    """The main module of a project names packages, not each of its controllers."""
    (shop / "operator.py").write_text("import kubewright as kw\noperator = kw.Operator('shop')\n")
    (shop / "goods.py").write_text(
        "from kubewright.kinds.core.v1 import ConfigMap\n"
        "from included_shop.operator import operator\n"
        "@operator.reconciler(ConfigMap)\n"
        "async def reconcile(goods, ctx): ...\n"
    )
    import_modules("included_shop.operator")
    operator: Operator = sys.modules["included_shop.operator"].operator

    operator.include("included_shop")

    assert [one.name for one in operator.declarations] == ["configmap"]


def test_the_classes_in_included_modules_are_kinds_of_the_operator(shop: Path) -> None:
    """Another version of a kind has no reconciler, and no CRD would have it otherwise."""
    (shop / "goods.py").write_text(
        "import kubewright as kw\n"
        "@kw.resource(group='example.com', version='v1')\n"
        "class Till(kw.Resource): ...\n"
        "class Base(kw.Resource): ...\n"
        "class Derived(Till): ...\n"
    )
    (shop / "deep" / "till.py").write_text(
        "import kubewright as kw\n"
        "from included_shop.goods import Till as First\n"
        "@kw.resource(group='example.com', version='v2', storage=False)\n"
        "class Till(kw.Resource): ...\n"
    )
    operator = Operator("shop")

    operator.include("included_shop.deep", "included_shop.goods")

    [crd] = operator.crds()
    assert [one["name"] for one in crd["spec"]["versions"]] == ["v1", "v2"]
    assert operator.rules() == Operator("shop").rules()


def test_classes_that_are_only_imported_stay_those_of_others(shop: Path) -> None:
    """A controller imports the classes that it works with, and may not own them."""
    (shop / "goods.py").write_text("from kubewright.kinds.core.v1 import ConfigMap\n")
    operator = Operator("shop")

    operator.include("included_shop")

    assert operator.kinds == ()


def test_a_missing_package_is_named() -> None:
    """A typo in the main module is Python's usual error, with the name in it."""
    with pytest.raises(ModuleNotFoundError, match="no_such_package"):
        Operator("shop").include("no_such_package")


def test_a_module_instead_of_its_name_is_refused() -> None:
    """``include(controller)`` is an easy mistake; the message says what is taken."""
    with pytest.raises(TypeError, match=r"names of packages, such as 'shop\.controller'"):
        Operator("shop").include(sys)  # type: ignore[arg-type]  # the mistake

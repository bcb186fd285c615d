import pytest

from kubewright.errors import ConfigError
from kubewright.scaffold.moving import move_modules, with_layout
from kubewright.scaffold.wanted import Wanted
from tests.golden.scaffold.rewrite import Tree, single

CONTROLLER = "shop/controller/shop.py"


def moved(tree: Tree) -> dict[str, str | None]:
    """Return what changes when the project of *tree* gets a folder for each group."""
    after = with_layout(tree.project, multigroup=True)
    modules = {path: text for path, text in tree.files.items() if path.endswith(".py")}
    return move_modules(tree.project, after, tree.files.get, modules)


def test_modules_move_into_the_folder_of_their_group_with_their_imports() -> None:
    """The tests of the project pass before and after."""
    found = moved(single())

    assert found["shop/api/v1/shop.py"] is None
    assert found["shop/api/v1/__init__.py"] is None
    assert found["shop/api/shop/v1/shop.py"] == single().files["shop/api/v1/shop.py"]
    conversion = found["shop/webhook/shop/v1/shop_conversion.py"] or ""
    assert "from shop.api.shop.v1.shop import Shop" in conversion
    assert "from shop.api.shop.v2 import shop as v2" in conversion
    assert found["shop/webhook/shop/__init__.py"]
    assert "shop/main.py" not in found


def test_there_and_back_is_where_it_was() -> None:
    """Nothing is lost on the way."""
    tree = single()
    before = dict(tree.files)
    after = with_layout(tree.project, multigroup=True)
    tree.files = {
        path: text for path, text in {**before, **moved(tree)}.items() if text is not None
    }

    modules = {path: text for path, text in tree.files.items() if path.endswith(".py")}
    back = with_layout(after, multigroup=False)
    again = {**tree.files, **move_modules(after, back, tree.files.get, modules)}

    assert back.resources == tree.project.resources
    code = {path: text for path, text in again.items() if text is not None}
    assert code.keys() == before.keys()
    assert all(code[path] == before[path] for path in before if "__init__" not in path)


def test_modules_of_the_user_stay_and_import_what_has_moved() -> None:
    """They may be anywhere."""
    tree = single()
    tree.files["shop/prices.py"] = "from shop.api.v1.shop import Shop\n"
    tree.files["shop/api/v1/parts.py"] = "SIZE = 1\n"

    found = moved(tree)

    assert found["shop/prices.py"] == "from shop.api.shop.v1.shop import Shop\n"
    assert "shop/api/v1/parts.py" not in found
    assert "shop/api/v1/__init__.py" not in found


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        ("from .other import x\n", "has a relative import"),
        ("from shop.api.v1 import shop, other\n", "Give each an import of its own"),
        ("def broken(:\n", "Mend that first"),
    ],
)
def test_what_cannot_be_moved_safely_is_not(code: str, fault: str) -> None:
    """The message names the file and the line."""
    tree = single()
    tree.files[CONTROLLER] = code

    with pytest.raises(ConfigError, match=f"{CONTROLLER}:1.*{fault}"):
        moved(tree)


def test_a_file_where_one_would_go_is_not_overwritten() -> None:
    """It may be the work of a day."""
    tree = single()
    tree.files["shop/controller/shop/shop.py"] = ""

    with pytest.raises(ConfigError, match="there is a file already"):
        moved(tree)


def test_several_groups_need_several_folders() -> None:
    """Two kinds of the same name would be one module."""
    tree = single()
    tree.project.multigroup = True
    tree.api("cache", Wanted(group="cache", version="v1", kind="Memcached"))

    with pytest.raises(ConfigError, match=r"cache\.example\.com and shop\.example\.com"):
        with_layout(tree.project, multigroup=False)


def test_a_module_behind_a_link_is_not_moved() -> None:
    """Its text is not among those of the project, and would be gone."""
    tree = single()
    after = with_layout(tree.project, multigroup=True)
    modules = {
        path: text
        for path, text in tree.files.items()
        if path.endswith(".py") and "shop/api/" not in path
    }

    with pytest.raises(ConfigError, match=r"shop/api/v1/shop\.py cannot be moved: a folder above"):
        move_modules(tree.project, after, tree.files.get, modules)


def test_a_file_that_is_there_is_only_taken_if_it_is_the_same() -> None:
    """It is so after a command that was killed; anything else is somebody's."""
    tree = single()
    tree.files["shop/api/shop/v1/shop.py"] = tree.files["shop/api/v1/shop.py"]
    assert moved(tree)["shop/api/v1/shop.py"] is None

    tree.files["shop/api/shop/v1/shop.py"] += "# mine\n"
    with pytest.raises(ConfigError, match="there is a file already where one would be moved to"):
        moved(tree)

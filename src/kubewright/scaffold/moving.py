"""Moves the modules of a project when it gets a folder for each API group, or loses them."""

import ast
import re
from collections.abc import Mapping
from copy import deepcopy

from kubewright.errors import ConfigError
from kubewright.scaffold.context import class_path, resource_context
from kubewright.scaffold.creation import Current
from kubewright.scaffold.project import Project

__all__ = ["move_modules", "with_layout"]

_FOLDERS = ("api", "controller", "webhook")
_TOP = 2  # slashes in shop/api/, which stays
_TESTS = ("controller_test", "admission_test", "conversion_test")


def with_layout(project: Project, *, multigroup: bool) -> Project:
    """Return *project* with or without a folder for each API group.

    Raises:
        ConfigError: It has several groups, and one folder would be for all of them.
    """
    made = deepcopy(project)
    made.multigroup = multigroup
    groups = sorted({one.api_group for one in made.resources if one.api is not None})
    if not multigroup and len(groups) > 1:
        raise ConfigError(
            f"this project has the API groups {' and '.join(groups)}, and needs a folder for each;"
            " --no-multigroup is for those with one"
        )
    for one in made.resources:
        if one.api is not None and not made.is_codeless:
            one.path = class_path(made, one)
    return made


def move_modules(
    before: Project, after: Project, current: Current, modules: Mapping[str, str]
) -> dict[str, str | None]:
    """Return the files that change: those that move, and those that import them.

    Args:
        before: The project as it is.
        after: The project as it should be.
        current: Reads files of the project.
        modules: The texts of all Python files of the project, by path.

    Raises:
        ConfigError: A file cannot be moved safely; the message says what to do.
    """
    moves = {old: new for old, new in _moves(before, after).items() if current(old) is not None}
    renamed = {_module(old): _module(new) for old, new in moves.items() if not _is_test(old)}
    for old, new in moves.items():
        if old not in modules:
            raise ConfigError(
                f"{old} cannot be moved: a folder above it is a link. Undo that first"
            )
        there = modules.get(new)
        # The same text is left from a command that was killed before it had moved all.
        if there is not None and there != _with_imports(old, modules[old], renamed):
            raise ConfigError(f"there is a file already where one would be moved to: {new}")
    files: dict[str, str | None] = dict.fromkeys(moves)
    for path, text in modules.items():
        if path in moves:
            _check_relative(path, text)
        changed = _with_imports(path, text, renamed)
        if path in moves or changed != text:
            files[moves.get(path, path)] = changed
    files |= _new_packages(current, moves)
    files |= _empty_packages(before, files, modules)
    return files


def _moves(before: Project, after: Project) -> dict[str, str]:
    """Return where each file about a kind is, and where it should be."""
    found: dict[str, str] = {}
    for old, new in zip(before.resources, after.resources, strict=True):
        here, there = _places(before, old), _places(after, new)
        found |= dict(zip(here, there, strict=True))
    return {old: new for old, new in found.items() if old != new}


def _places(project: Project, resource: object) -> list[str]:
    context = resource_context(project, resource)  # type: ignore[arg-type]
    home, module = project.repo, context["module"]
    own = [f"{home}/{context['api']}/{module}.py"] if context["resource"].api else []
    return [
        *own,
        f"{home}/{context['controllers']}/{module}.py",
        f"{home}/{context['webhooks']}/{module}.py",
        f"{home}/{context['webhooks']}/{module}_conversion.py",
        *(f"tests/{context[name]}.py" for name in _TESTS),
    ]


def _empty_packages(
    project: Project, files: Mapping[str, str | None], modules: Mapping[str, str]
) -> dict[str, str | None]:
    """Return the ``__init__.py`` of each folder in which nothing else is left."""
    after = {path for path in {*modules, *files} if files.get(path, "") is not None}
    left = [path for path in after if not path.endswith("/__init__.py")]
    found: dict[str, str | None] = {}
    for path in modules:
        folder = path.removesuffix("__init__.py")
        inside = path.startswith(tuple(f"{project.repo}/{one}/" for one in _FOLDERS))
        if inside and folder.count("/") > _TOP and folder != path:
            is_empty = not any(one.startswith(folder) for one in left)
            found |= {path: None} if is_empty else {}
    return found


def _new_packages(current: Current, moves: Mapping[str, str]) -> dict[str, str | None]:
    """Return the ``__init__.py`` of each folder that a module is moved to."""
    found: dict[str, str | None] = {}
    for new in moves.values():
        folder = new.rpartition("/")[0]
        while folder.count("/") and not _is_test(folder):
            path = f"{folder}/__init__.py"
            if current(path) is None:
                words = folder.split("/")[1:]
                found[path] = f'"""{" of ".join(reversed(words)).capitalize()}."""\n'
            folder = folder.rpartition("/")[0]
    return found


def _with_imports(path: str, text: str, renamed: Mapping[str, str]) -> str:
    """Return *text* with the modules of *renamed* under their new names."""
    for node in _imports(path, text):
        wanted = [f"{node.module}.{one.name}" for one in node.names]
        moved = [name for name in wanted if name in renamed]
        if moved and len(moved) < len(wanted):
            raise ConfigError(
                f"{path}:{node.lineno} imports modules that are moved together with others. Give"
                " each an import of its own, and run the command again"
            )
        homes = {renamed[name].rpartition(".")[0] for name in moved}
        if len(homes) == 1:
            new = homes.pop()
            text = re.sub(
                rf"\bfrom {re.escape(str(node.module))} import\b", f"from {new} import", text
            )
    for old, new in renamed.items():
        text = re.sub(rf"(?<![\w.]){re.escape(old)}(?!\w)", new, text)
    return text


def _imports(path: str, text: str) -> list[ast.ImportFrom]:
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        raise ConfigError(f"{path}:{error.lineno}: {error.msg}. Mend that first") from None
    return [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]


def _check_relative(path: str, text: str) -> None:
    for node in _imports(path, text):
        if node.level:
            raise ConfigError(
                f"{path}:{node.lineno} has a relative import, which would mean another module"
                " after the move. Write the whole name of the module, and run the command again"
            )


def _module(path: str) -> str:
    return path.removesuffix(".py").replace("/", ".")


def _is_test(path: str) -> bool:
    return path.startswith("tests")

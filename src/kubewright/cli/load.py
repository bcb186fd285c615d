"""Finds the operator that the user names, such as ``at.py`` or ``shop.main:operator``."""

import contextlib
import importlib
import importlib.util
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, TracebackType
from typing import TYPE_CHECKING

import kubewright
from kubewright.application import Application
from kubewright.cli.project.folder import NAME, get_project
from kubewright.cli.watchfile import FrontEnd, front_end_of
from kubewright.errors import ConfigError
from kubewright.operator import Operator
from kubewright.scaffold.project import ANSIBLE, HELM

if TYPE_CHECKING:
    from kubewright.ansible import Settings

__all__ = ["check_declared", "find_operator", "load_module", "load_operator", "split_target"]

_PACKAGE = f"{Path(kubewright.__file__).parent}{os.sep}"


def load_operator(target: str, *, ansible: "Settings | None" = None) -> Application:
    """Return the operator in a file or module: ``FILE_OR_MODULE[:name]``; or of charts or roles.

    Args:
        target: A path to a Python file or the dotted name of a module; with a colon and the name of
            a variable in it, if it has several operators; or a ``watches.yaml``.
        ansible: How roles are run.

    Raises:
        ConfigError: There is no such file, it fails, or it does not have exactly one operator.
    """
    if front_end := front_end_of(target):
        path = Path(target)
        return _load_watches(path, front_end, _project_name(path.absolute().parent), ansible)
    place, name = split_target(target)
    return find_operator(load_module(place), place, name)


def _load_watches(
    path: Path, front_end: FrontEnd, name: str, settings: "Settings | None"
) -> Application:
    if front_end == "ansible":
        from kubewright.ansible import AnsibleOperator, Settings

        return AnsibleOperator.load(path, name=name, settings=settings or Settings())
    from kubewright.helm import HelmOperator

    return HelmOperator.load(path, name=name)


def _project_name(folder: Path) -> str:
    """Return the name of the project in *folder*; empty if it is none of ours.

    Those of operator-sdk have another PROJECT, and the same ``watches.yaml``.
    """
    file = folder / NAME
    text = file.read_text("utf-8", "replace") if file.is_file() else ""
    if HELM in text:
        return get_project(folder).project.project_name
    if ANSIBLE in text:
        with contextlib.suppress(ConfigError):  # operator-sdk has had other versions of the file
            return get_project(folder).project.project_name
    return ""


def split_target(target: str) -> tuple[str, str]:
    """Return the file or module, and the name after the colon, if there is one."""
    place, colon, name = target.rpartition(":")
    # A path may hold a colon itself, and a name is never a path.
    if colon and name.replace(".", "").isidentifier() and not Path(target).exists():
        return place, name
    return target, ""


def load_module(place: str) -> ModuleType:
    """Import the file or module *place*.

    Raises:
        ConfigError: There is no such file or module, or it fails; its traceback is in the message.
    """
    if not place:
        raise ConfigError("which operator? Name a file such as at.py, or a module")
    if place.endswith(".py") or os.sep in place or Path(place).is_dir():
        return _load_file(Path(place))
    _search(Path.cwd())
    try:
        found = importlib.util.find_spec(place)
    except (Exception, SystemExit) as error:
        if not _is_missing(place, error):
            raise ConfigError(_failed(place, error, _origin(error))) from error
        found = None
    if found is None:
        raise ConfigError(f"cannot load {place}: {_reason(place, 'file or module')}")
    return _run(lambda: importlib.import_module(place), place, found.origin or "")


def find_operator(module: ModuleType, place: str, name: str = "") -> Application:
    """Return the operator called *name* in *module*, or the only one that is there.

    Raises:
        ConfigError: There is none, or there are several.
    """
    if name:
        return _named(module, place, name)
    found = {key: one for key, one in vars(module).items() if isinstance(one, Application)}
    different = {id(one): one for one in found.values()}
    if len(different) == 1:
        return next(iter(different.values()))
    if not different:
        raise ConfigError(
            f"{place} has no operator: write `operator = kw.Operator(...)` at the top level of it"
        )
    names = ", ".join(found)
    first = next(iter(found))
    raise ConfigError(f"{place} has several operators: {names}. Say which: {place}:{first}")


def check_declared(operator: Application) -> None:
    """Check that *operator* has something to do, and that it is whole.

    Raises:
        ConfigError: It has nothing to do.
        SchemeError: A conversion lacks a function.
    """
    for conversion in operator.webhooks.conversions:
        conversion.check()
    if isinstance(operator, Operator) and not (operator.declarations or operator.webhooks):
        raise ConfigError(
            f"the operator {operator.name!r} does nothing: declare a function with"
            " @operator.reconciler(...), or a webhook with @operator.validator(...)"
        )


def _named(module: ModuleType, place: str, name: str) -> Application:
    found: object = module
    for part in name.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            raise ConfigError(f"{place} has no {name!r}") from None
    if not isinstance(found, Application):
        raise ConfigError(
            f"{name!r} in {place} is a {type(found).__name__}, not an Operator or another"
            " Application"
        )
    return found


def _load_file(path: Path) -> ModuleType:
    if not path.exists():
        raise ConfigError(f"cannot load {path}: {_reason(str(path), 'file')}")
    if path.is_dir():
        raise ConfigError(f"cannot load {path}: it is a folder. Name the file with the operator")
    spec = importlib.util.spec_from_file_location(_module_name(path), path)
    if spec is None or spec.loader is None:
        raise ConfigError(f"cannot load {path}: it is not a Python file")
    module, loader = importlib.util.module_from_spec(spec), spec.loader
    _search(path.resolve().parent)  # as `python at.py` would
    # Annotations of its classes are looked up by the name of the module.
    sys.modules[spec.name] = module

    def execute() -> ModuleType:
        loader.exec_module(module)
        return module

    try:
        return _run(execute, str(path), str(path))
    except ConfigError:
        del sys.modules[spec.name]
        raise


def _is_missing(place: str, error: BaseException) -> bool:
    """Return whether it is *place* that is missing, and not something that it imports."""
    if not isinstance(error, ModuleNotFoundError) or error.name is None:
        return False
    return f"{place}.".startswith(f"{error.name}.")


def _reason(place: str, what: str) -> str:
    """Return why there is nothing to load, with a hint if a similar file or module exists."""
    file, colon, name = place.rpartition(":")
    module, _, variable = place.rpartition(".")
    if Path(place).is_file():
        return "it is not a Python file. Its name has to end in .py"
    if colon and Path(file).is_file():
        return f"{name!r} cannot be the name of a variable in {file}"
    if Path(f"{place}.py").is_file():
        return f"it is a file. Write {place}.py"
    if module in sys.modules and not hasattr(sys.modules[module], "__path__"):
        return f"{module} is not a package. Is it {module}:{variable}?"
    return f"there is no such {what}"


def _origin(error: BaseException) -> str:
    """Return the last file in the traceback of *error*."""
    frames = traceback.extract_tb(error.__traceback__)
    return frames[-1].filename if frames else ""


def _module_name(path: Path) -> str:
    """Return the name by which other files of the folder import it, unless it is taken."""
    name = path.stem
    taken = name in sys.modules or name in sys.stdlib_module_names
    return f"kubewright_file_{name}" if taken or not name.isidentifier() else name


def _search(folder: Path) -> None:
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))


def _run(execute: Callable[[], ModuleType], place: str, origin: str) -> ModuleType:
    try:
        return execute()
    except (Exception, SystemExit) as error:
        raise ConfigError(_failed(place, error, origin)) from error


def _failed(place: str, error: BaseException, origin: str) -> str:
    """Return what went wrong, with the traceback from the user's file on."""
    if isinstance(error, SystemExit):
        return f"cannot load {place}: it ends the program, with {error!r}"
    trace = _from(error.__traceback__, origin)
    told = traceback.TracebackException(type(error), error, trace)
    own = [index for index, frame in enumerate(told.stack) if not _imports(frame.filename)]
    last = own[-1] if own else 0
    told.stack[:] = [told.stack[index] for index in own] + told.stack[last + 1 :]
    return f"cannot load {place}: it fails.\n{''.join(told.format()).rstrip()}"


def _imports(file: str) -> bool:
    """Tell whether *file* is ours or Python's: between two of the user's it only imports."""
    return file.startswith(("<frozen importlib", _PACKAGE)) or file == importlib.__file__


def _from(trace: TracebackType | None, origin: str) -> TracebackType | None:
    """Return *trace* from the user's file on: the frames before it are ours."""
    step = trace
    while step is not None:
        if origin and Path(step.tb_frame.f_code.co_filename).resolve() == Path(origin).resolve():
            return step
        step = step.tb_next
    return None

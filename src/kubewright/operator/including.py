"""Imports all modules of a package, so that what they declare is declared."""

import importlib
import pkgutil
import sys
from collections.abc import Iterable

from kubewright.api.resource import Resource

__all__ = ["classes_in", "import_modules"]


def import_modules(package: str) -> list[str]:
    """Import *package* and every module below it, in the order of their names.

    Args:
        package: Its full name, such as ``shop.controller``. A module without others below it will
            do, too.

    Returns:
        The names of all that were imported.

    Raises:
        ModuleNotFoundError: There is no such package.
    """
    found = importlib.import_module(package)
    names = [package]
    for one in sorted(pkgutil.iter_modules(getattr(found, "__path__", ()), f"{package}.")):
        names += import_modules(one.name)
    return names


def classes_in(names: Iterable[str]) -> list[type[Resource]]:
    """Return the classes of custom kinds that the modules *names* define, and do not only import.

    Args:
        names: Modules that were imported already.
    """
    values = [value for name in names for value in vars(sys.modules[name]).values()]
    classes = [one for one in values if isinstance(one, type) and issubclass(one, Resource)]
    modules = set(names)
    return [one for one in classes if one.__module__ in modules and "__definition__" in vars(one)]

"""Imports all modules of a package, so that what they declare is declared."""

import importlib
import pkgutil

__all__ = ["import_modules"]


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

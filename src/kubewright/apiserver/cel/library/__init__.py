"""The functions that Kubernetes adds to CEL, each library in a module of its own.

Importing a module declares its functions. Most rules need none of them, so they are loaded when
an expression first names a function that the language itself does not have.
"""

from functools import cache
from importlib import import_module


@cache
def load() -> None:
    """Declare the functions of all libraries."""
    for name in (
        *("strings", "lists", "sets", "regexes", "quantity", "url", "cidr", "formats"),
        *("semver", "authorizer", "jsonpatch"),
    ):
        import_module(f"{__name__}.{name}")

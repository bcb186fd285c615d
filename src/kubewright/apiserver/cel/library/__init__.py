"""The functions that Kubernetes adds to CEL, with a module for each library.

Importing a module declares its functions. Most rules use none of them, so they are loaded when an
expression first uses a function that is not part of the language itself.
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

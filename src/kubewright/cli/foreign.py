"""What kubebuilder and operator-sdk have and we do not, and what to do instead."""

from collections.abc import Iterable, Mapping, Sequence

__all__ = ["COMMANDS", "find_folder", "find_foreign"]

_NO_FETCHING = "nothing is fetched here, and `make setup` installs what the project needs"
_NO_MAKE = "manifests are made from the code at once, unless you say --no-manifests"
_NO_PLUGINS = "the scaffold of a project is chosen once, by `kubewright init --plugins`"
_PATHS = "the path of a webhook is made from the kind, as kubebuilder makes it"
_MODULE = "say with --external-api-path which Python module has the class, if there is one"

_OPTIONS: Mapping[str, Mapping[str, str]] = {
    "init": {
        "--repo": "there is no Go module; the Python package is called after the project, which"
        " --project-name names",
        "--fetch-deps": _NO_FETCHING,
        "--skip-go-version-check": "there is no Go in the project",
        "--license-file": "say --license none, and add your text as LICENSE",
        "--component-config": "flags of the operator are arguments in config/manager/manager.yaml",
    },
    "create api": {
        "--make": _NO_MAKE,
        "--plugins": "--image does what the plugin deploy-image does, and needs no plugin",
        "--pattern": "the reconciler that is made is the only pattern here",
        "--external-api-module": _MODULE,
    },
    "create webhook": {
        "--make": _NO_MAKE,
        "--plugins": _NO_PLUGINS,
        "--validation": "it is called --programmatic-validation",
        "--defaulting-path": _PATHS,
        "--validation-path": _PATHS,
        "--external-api-module": _MODULE,
        "--legacy": "webhooks have one layout here",
    },
    "edit": {
        "--domain": "API groups would change, and for a cluster other groups are other kinds, whose"
        " objects nobody would look after. As long as nothing is deployed, make the project again"
        " in another folder, with `kubewright init --domain`, and move your code there",
        "--project-name": "the package, the operator and all of its objects are called after the"
        " project. Make it again in another folder, with `kubewright init --project-name`, and move"
        " your code there",
        "--repo": "the Python package is called after the project, and is not renamed by a command",
        "--plugins": _NO_PLUGINS,
        "--license-file": "say --license none, and add your text as LICENSE",
    },
}

COMMANDS: Mapping[str, str] = {
    "alpha generate": "`kubewright alpha update` makes the scaffold again, and merges it.",
    "create config": "Flags of the operator are arguments in config/manager/manager.yaml.",
}
"""Commands by their words, each with what to run instead."""


def find_foreign(command: str, words: Iterable[str], known: Iterable[str]) -> str:
    """Return what to do instead of the first option of others in *words*, or nothing.

    Args:
        command: The words of the command, such as ``create api``.
        words: What was typed behind it.
        known: The options that it has.

    Example:
        >>> find_foreign("create api", ["--make=false"], [])
        '--make: manifests are made from the code at once, unless you say --no-manifests'
    """
    hints = _OPTIONS.get(command, {})
    for word in words:
        name = word.partition("=")[0]
        if name == "--":
            break
        if name in hints and name not in set(known):
            return f"{name}: {hints[name]}"
    return ""


def find_folder(command: str, words: Sequence[str]) -> str:
    """Return what to do instead of naming the folder of a new project, or nothing.

    Example:
        >>> find_folder("init", ["shop", "--domain", "example.com"])
        "'shop': a project is made in the current folder: `mkdir shop && cd shop` first"
    """
    if command != "init" or not words or words[0].startswith("-"):
        return ""
    name = words[0]
    return f"{name!r}: a project is made in the current folder: `mkdir {name} && cd {name}` first"

"""Looks at what the kustomizations of a project do with its generated manifests.

They list each file, and give the objects in them their names.
"""

from collections.abc import Callable, Container, Iterable, Iterator
from typing import Any, NamedTuple

from kubewright.errors import ConfigError
from kubewright.scaffold.manifests import CONVERSION, CRDS, GENERATED, WEBHOOKS, is_ours

__all__ = ["NAMES", "check_names", "faults_of"]

NAMES: tuple[str, ...] = ("kustomization.yaml", "kustomization.yml", "Kustomization")
"""What kustomize looks for in a folder, in this order."""
_LISTS = ("resources", "patches", "patchesStrategicMerge")
_DEFAULT = "config/default"
_BASES = "bases"  # what is in there is listed in the folder above

Current = Callable[[str], str | None]


class _Kustomization(NamedTuple):
    """What a kustomization lists; *path* is empty if the folder has none."""

    path: str
    entries: frozenset[str]


class _Place(NamedTuple):
    """Where a file should be listed."""

    folder: str
    entry: str
    key: str = "resources"

    @property
    def line(self) -> str:
        return f"path: {self.entry}" if self.key == "patches" else self.entry


def faults_of(generated: Iterable[str], current: Current) -> Iterator[str]:
    """Yield what the kustomizations of a project say wrongly about its generated manifests.

    A file that is not listed is not deployed, and one that is listed and missing stops kustomize.

    Args:
        generated: The paths of all manifests that are made.
        current: Returns the text of a file; ``None`` if there is none.

    Raises:
        ConfigError: A kustomization is not YAML, or not a mapping.
    """
    made = dict.fromkeys(generated)
    for path in made:
        place = _place_of(path)
        found = _read(place.folder, current)
        if not found.path:
            yield f"{path} is not deployed: there is no {place.folder}/{NAMES[0]} that lists it"
        elif place.entry not in found.entries:
            yield (
                f"{path} is not deployed: add `- {place.line}` to the {place.key} in {found.path}"
            )
    for folder in dict.fromkeys(_place_of(path).folder for path in (*GENERATED, f"{CRDS}/any")):
        found = _read(folder, current)
        for entry in sorted(found.entries):
            if _is_gone(f"{folder}/{entry}", made, current):
                yield f"{found.path} lists {entry}, which is not made any more: remove that line"


def check_names(generated: Iterable[str], project_name: str, current: Current) -> None:
    """Check that an operator with webhooks finds their objects under the names that they get.

    Args:
        generated: The paths of all manifests that are made.
        project_name: The name of the project, and of the operator.
        current: Returns the text of a file; ``None`` if there is none.

    Raises:
        ConfigError: ``config/default`` gives them another prefix, or a suffix.
    """
    if not {WEBHOOKS, CONVERSION} & set(generated):
        return
    path, document = _find(_DEFAULT, current)
    if not path:
        return  # that it is missing is a fault where something has to be listed in it
    wanted = f"{project_name}-"
    prefix, suffix = (document.get(key) or "" for key in ("namePrefix", "nameSuffix"))
    if (prefix, suffix) == (wanted, ""):
        return
    said = [f"namePrefix {prefix!r}" if prefix else "no namePrefix"]
    said += [f"nameSuffix {suffix!r}"] if suffix else []
    raise ConfigError(
        f"the operator is called {project_name!r}, and {path} has {' and '.join(said)}. It looks"
        " for its webhook configurations, Service and certificate under its own name, and"
        f" config/default gives them another one: write `namePrefix: {wanted}`"
        + (", and remove the nameSuffix" if suffix else "")
    )


def _is_gone(path: str, made: Container[str], current: Current) -> bool:
    """Tell whether *path* is like a generated manifest, and there is none."""
    if path in made or not (path in GENERATED or path.startswith(f"{CRDS}/")):
        return False
    text = current(path)
    return text is None or is_ours(text)


def _place_of(path: str) -> _Place:
    """Return where *path* belongs: in its folder, or in the one above ``bases``."""
    folder, _, name = path.rpartition("/")
    above, _, last = folder.rpartition("/")
    if last == _BASES:
        return _Place(above, f"{last}/{name}")
    return _Place(folder, name, "patches" if name.endswith("_patch.yaml") else "resources")


def _read(folder: str, current: Current) -> _Kustomization:
    path, document = _find(folder, current)
    lists = [found for key in _LISTS if isinstance(found := document.get(key), list)]
    listed = [one for found in lists for one in found]
    names = (one.get("path", "") if isinstance(one, dict) else one for one in listed)
    return _Kustomization(path, frozenset(str(one).removeprefix("./") for one in names))


def _find(folder: str, current: Current) -> tuple[str, dict[str, Any]]:
    """Return the path of the kustomization in *folder*, and what it says; both may be empty."""
    for path in (f"{folder}/{name}" for name in NAMES):
        text = current(path)
        if text is not None:
            return path, _document(text, path)
    return "", {}


def _document(text: str, path: str) -> dict[str, Any]:
    import yaml

    try:
        found = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ConfigError(f"{path} is not YAML: {error}") from None
    if found is not None and not isinstance(found, dict):
        raise ConfigError(f"{path} is not a mapping with a list of resources")
    return found or {}

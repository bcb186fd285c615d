"""`ChartMetadata`: what the file Chart.yaml of a helm chart says."""

import re
from typing import Any

import msgspec

from kubewright.errors import ConfigError

__all__ = ["ChartMetadata", "Dependency", "check_chart_name", "read_chart"]

_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_LONGEST = 53  # helm lets releases have no longer names, since labels are made of them
_VERSIONS = ("v1", "v2")


class Dependency(msgspec.Struct, frozen=True):
    """A chart that another one needs.

    Attributes:
        name: Its name.
        alias: What it is called instead, if that is said.
        repository: Where it comes from.
        tags: Words by which several of them are switched on and off.
    """

    name: str
    alias: str = ""
    repository: str = ""
    tags: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """The key of its values in those of the chart that needs it."""
        return self.alias or self.name


class ChartMetadata(msgspec.Struct, frozen=True):
    """What a chart says of itself.

    Attributes:
        name: Its name.
        version: Its version.
        description: What it is, in a sentence.
        app_version: The version of what it installs.
        dependencies: The charts that it needs.
    """

    name: str
    version: str
    description: str = ""
    app_version: str = ""
    dependencies: tuple[Dependency, ...] = ()


def read_chart(text: str, *, place: str = "Chart.yaml") -> ChartMetadata:
    r"""Return what a file Chart.yaml says.

    Args:
        text: The file.
        place: Its name, for errors.

    Raises:
        ConfigError: It is not such a file; the message has the file and the line.

    Example:
        >>> read_chart("apiVersion: v2\nname: shop\nversion: 1.0.0\n").name
        'shop'
    """
    found = _mapping(text, place)
    _check_version(found, place)
    name = str(_wanted(found, "name", place))
    check_chart_name(name, place=f"{place}:{_line(text, 'name')}")
    if found.get("type") == "library":
        raise ConfigError(
            f"{place}:{_line(text, 'type')}: {name} is a library, which other charts use and nobody"
            " can install. Name a chart of the type application"
        )
    return ChartMetadata(
        name=name,
        version=str(_wanted(found, "version", place)),
        description=str(found.get("description") or ""),
        app_version=str(found.get("appVersion") or ""),
        dependencies=tuple(_dependencies(text, found, place)),
    )


def check_chart_name(name: str, *, place: str) -> None:
    """Check that a chart can be called *name*.

    Raises:
        ConfigError: It cannot.
    """
    if not _NAME.fullmatch(name) or len(name) > _LONGEST:
        raise ConfigError(
            f"{place}: a chart cannot be called {name!r}: its folder and objects in the cluster are"
            f" called so. A name has lower case letters, digits and dashes, {_LONGEST} at most"
        )


def _mapping(text: str, place: str) -> dict[str, Any]:
    import yaml

    try:
        found = yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise ConfigError(f"{place}:{line}: this is not YAML: {error.problem}") from None
    except (yaml.YAMLError, ValueError) as error:
        raise ConfigError(f"{place} is not YAML: {error}") from None
    if not isinstance(found, dict):
        raise ConfigError(f"{place}:1: a chart says its name and version here, in a mapping")
    return found


def _check_version(found: dict[str, Any], place: str) -> None:
    version = found.get("apiVersion")
    if version not in _VERSIONS:
        said = "not given" if version is None else repr(version)
        raise ConfigError(
            f"{place}: its apiVersion is {said}; charts have {' or '.join(_VERSIONS)}"
        )


def _wanted(found: dict[str, Any], key: str, place: str) -> Any:
    if found.get(key) in {None, ""}:
        raise ConfigError(f"{place}: there is no {key!r}, which every chart has")
    return found[key]


def _line(text: str, key: str) -> int:
    """Return the line of *key*, at the top level."""
    lines = enumerate(text.splitlines(), 1)
    return next((number for number, line in lines if line.startswith(f"{key}:")), 1)


def _dependencies(text: str, found: dict[str, Any], place: str) -> list[Dependency]:
    listed = found.get("dependencies") or []
    try:
        return msgspec.convert(listed, list[Dependency])
    except msgspec.ValidationError as error:
        line = _line(text, "dependencies")
        raise ConfigError(f"{place}:{line}: dependencies: {error}") from None

"""The values of a release: the spec of its object, and what ``overrideValues`` lays over it."""

import copy
import itertools
import os
import re
from collections.abc import Iterator, Mapping
from typing import Any

from kubewright.errors import ConfigError

__all__ = ["expanded", "large_numbers", "overridden", "set_text"]

_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")
_CALL = re.compile(
    r"\{\{-?\s*env\s+[\"`](\w+)[\"`]\s*(?:\|\s*default\s+[\"`]([^\"`]*)[\"`]\s*)?-?\}\}"
)
_SPECIAL = re.compile(r"[.,=\[\]\\]")
_LARGE, _TOO_LARGE = 1_000_000, 2**63
"""Beyond the second, ``--set`` takes a number for a text."""
_LAST = 65_536
"""Helm's lists for ``--set`` end here, too: what is before a place is made up."""
_INDEX = re.compile(r"^(.*?)((?:\[\d+\])+)$")


def expanded(text: str, environ: Mapping[str, str] = os.environ) -> str:
    """Return *text* with the variables of the environment that it names.

    They are written ``$NAME``, ``${NAME}`` or ``{{ env "NAME" }}``, the last also with
    ``| default "…"``. One that is not set is empty.

    Raises:
        ConfigError: There is another template in it.
    """
    found = _VARIABLE.sub(lambda match: environ.get(match[1] or match[2], ""), text)
    found = _CALL.sub(lambda match: environ.get(match[1]) or match[2] or "", found)
    if "{{" in found:
        raise ConfigError(
            f"{text!r} cannot be expanded: of templates, only"
            ' {{ env "NAME" }} and {{ env "NAME" | default "…" }} are known here'
        )
    return found


def overridden(values: Mapping[str, Any], overrides: Mapping[str, str]) -> dict[str, Any]:
    """Return *values* with *overrides*, paths and texts, laid over them as by ``--set-string``.

    Raises:
        ConfigError: A path leads through something that is not a mapping or a list.
    """
    found = copy.deepcopy(dict(values))
    for path, text in overrides.items():
        set_text(found, path, text)
    return found


def set_text(values: dict[str, Any], path: str, text: str) -> None:
    r"""Set the member *path*, such as ``image.tag`` or ``hosts[0].name``, of *values* to *text*.

    A dot that is part of a name is written ``\.``; a text in braces is a list.

    Raises:
        ConfigError: It is no path, or does not fit the values.
    """
    steps = _steps(path)
    here: Any = values
    for step, following in itertools.pairwise(steps):
        here = _step_into(here, step, [] if isinstance(following, int) else {}, path)
    last: Any = [one.strip() for one in text[1:-1].split(",")] if _is_list(text) else text
    _put(here, steps[-1], last, path)


def large_numbers(values: Any, path: str = "") -> Iterator[str]:
    """Yield the whole numbers in *values* that helm would read as floats, as ``--set`` takes them.

    Out of a file, a million comes into templates as ``1e+06``.
    """
    if isinstance(values, dict):
        for name, value in values.items():
            step = _SPECIAL.sub(r"\\\g<0>", str(name))
            yield from large_numbers(value, f"{path}.{step}" if path else step)
    elif isinstance(values, list):
        for number, value in enumerate(values):
            yield from large_numbers(value, f"{path}[{number}]")
    elif _is_large(values):
        yield f"{path}={values}"


def _is_large(value: Any) -> bool:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return is_number and _LARGE <= abs(value) < _TOO_LARGE


def _steps(path: str) -> list[str | int]:
    steps: list[str | int] = []
    for part in re.split(r"(?<!\\)\.", path):
        name = part.replace("\\.", ".")
        match = _INDEX.match(name)
        places = [] if match is None else [int(one) for one in re.findall(r"\d+", match[2])]
        if match is not None:
            name = match[1]
        if not name:
            raise ConfigError(
                f"the override {path!r} has an empty name: write one such as image.tag"
            )
        if max(places, default=0) > _LAST:
            raise ConfigError(f"the override {path!r} is beyond the place {_LAST} of a list")
        steps += [name, *places]
    return steps


def _step_into(here: Any, step: str | int, empty: Any, path: str) -> Any:
    found = _find(here, step)
    if not isinstance(found, dict | list):
        found = empty
        _put(here, step, found, path)
    return found


def _find(here: Any, step: str | int) -> Any:
    if isinstance(here, dict):
        return here.get(step)
    if isinstance(here, list) and isinstance(step, int) and step < len(here):
        return here[step]
    return None


def _put(here: Any, step: str | int, value: Any, path: str) -> None:
    if isinstance(here, dict) and isinstance(step, str):
        here[step] = value
    elif isinstance(here, list) and isinstance(step, int):
        here.extend([None] * (step + 1 - len(here)))
        here[step] = value
    else:
        raise ConfigError(
            f"the override {path!r} does not fit the values: {step!r} is not in a"
            f" {'mapping' if isinstance(step, str) else 'list'}"
        )


def _is_list(text: str) -> bool:
    return text.startswith("{") and text.endswith("}")

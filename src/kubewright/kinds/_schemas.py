"""The schemas of the parts of built-in kinds, as several versions of Kubernetes have them.

``schemas.json`` is made by ``tools/generate_schemas.py``. It is read when a CRD with such a part
is made, or classes are made of a CRD, and by nothing else.
"""

from functools import cache
from pathlib import Path
from typing import Any

import msgspec

JSONSchema = dict[str, Any]


class _File(msgspec.Struct):
    versions: tuple[str, ...]
    definitions: dict[str, list[tuple[str, JSONSchema | None]]]


@cache
def _file() -> _File:
    data = Path(__file__).with_name("schemas.json").read_bytes()
    return msgspec.json.decode(data, type=_File)


def versions() -> tuple[str, ...]:
    """Return the versions of Kubernetes that are known, the oldest first."""
    return _file().versions


@cache
def definitions(version: str) -> dict[str, JSONSchema]:
    """Return all definitions of *version* by label, such as ``core.v1.PodSpec``; shared, so copy.

    A reference to another one, ``{"$ref": "core.v1.Container"}``, may have keywords beside it.
    """
    order = {name: index for index, name in enumerate(versions())}
    found = {}
    for label, states in _file().definitions.items():
        past = [schema for since, schema in states if order[since] <= order[version]]
        if past and past[-1] is not None:
            found[label] = past[-1]
    return found

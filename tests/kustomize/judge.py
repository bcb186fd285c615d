"""The real kustomize, as kubectl or as a program of its own, and its answer beside ours."""

import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from kubewright.scaffold.kustomize import build

Tree = Mapping[str, str]
"""The text of each file, by its path."""


class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]  # either has what is needed
    """Reads what Go prints: times stay text, and numbers may have an exponent and no point."""


Loader.yaml_implicit_resolvers = {
    first: [
        (tag, pattern)
        for tag, pattern in resolvers
        if tag not in ("tag:yaml.org,2002:timestamp", "tag:yaml.org,2002:value")
    ]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"[-+]?[0-9]+(\.[0-9]*)?[eE][-+]?[0-9]+$"),
    list("-+0123456789"),
)


def find_judge() -> list[str] | None:
    """Return the command that builds a folder, or ``None`` if there is none."""
    if program := shutil.which("kubectl"):
        return [program, "kustomize"]
    if program := shutil.which("kustomize"):
        return [program, "build"]
    return None


class Refusal(str):  # what it says is all that it is
    """What kustomize says when it builds nothing."""

    __slots__ = ()


def judged(judge: list[str], tree: Tree, *, folder: str, place: Path) -> list[Any] | Refusal:
    """Return what the real kustomize makes of *tree*, written below *place*."""
    for path, text in tree.items():
        target = place / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode("utf-8", "surrogateescape"))
    done = subprocess.run(
        [*judge, str(place / folder)], capture_output=True, text=True, timeout=60, check=False
    )
    if done.returncode:
        return Refusal(done.stderr.strip())
    return [normal(one) for one in yaml.load_all(done.stdout, Loader=Loader) if one is not None]


def built(tree: Tree, *, folder: str) -> list[Any]:
    """Return what we make of *tree*."""
    return [normal(one) for one in build(folder, tree.get)]


def normal(value: Any) -> Any:
    """Return *value* so that ``1`` and ``true`` differ, and ``1`` and ``1.0`` do not."""
    match value:
        case dict():
            return {name: normal(one) for name, one in value.items()}
        case list():
            return [normal(one) for one in value]
        case bool():
            return ("bool", value)
        case int() | float():
            return ("number", float(value))
    return value

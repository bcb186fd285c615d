"""Samples: objects as somebody wrote them, with their comments."""

import re
from collections.abc import Iterator

from kubewright.crd.manifest import from_yaml

_BETWEEN = re.compile(r"^---(?:[ \t].*)?$", re.MULTILINE)


def samples_in(text: str) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield the apiVersion and kind of each object in *text*, and its YAML.

    Raises:
        SchemaError: It is not YAML, or an object is not a mapping.
    """
    for part in _BETWEEN.split(text):
        for document in from_yaml(part):
            key = str(document.get("apiVersion", "")), str(document.get("kind", ""))
            yield key, part.strip("\n")

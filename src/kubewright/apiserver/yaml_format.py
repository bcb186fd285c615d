"""YAML as Kubernetes reads and writes it: JSON in other clothes."""

from typing import Any

import yaml

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Loader(_Loader):  # type: ignore[misc]  # the C loader is there or it is not
    """Reads only what JSON knows: a date stays the text that was written."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in _Loader.yaml_implicit_resolvers.items()
}


_Dumper: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


class Dumper(_Dumper):  # type: ignore[misc]  # the C dumper is there or it is not
    """Quotes with double quotes where a text would be taken for something else."""


def _text(dumper: Any, text: str) -> Any:
    tag = "tag:yaml.org,2002:str"
    plain = dumper.resolve(yaml.ScalarNode, text, (True, False)) == tag
    style = None if plain else '"'
    return dumper.represent_scalar(tag, text, style="|" if "\n" in text else style)


Dumper.add_representer(str, _text)


def dump(document: Any) -> bytes:
    """Return *document* as YAML."""
    written: bytes = yaml.dump(document, Dumper=Dumper, encoding="utf-8", allow_unicode=True)
    return written

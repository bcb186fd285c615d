"""Manifests: documents as YAML that every parser reads alike."""

import re
from functools import cache
from typing import Any

from kubewright.errors import SchemaError

# Read as a number, a time or a boolean by one YAML parser or another, though not by PyYAML's.
_AMBIGUOUS = re.compile(r"[-+]?\.?[0-9][0-9a-fA-F_xobXOB.eE+:-]*|[yYnN]|=|<<")
_WIDTH = 100


def to_yaml(*documents: dict[str, Any]) -> str:
    """Return *documents* as YAML: block style, keys sorted, texts of several lines as blocks.

    Example:
        >>> print(to_yaml({"kind": "Shop", "on": "yes"}), end="")
        ---
        kind: Shop
        'on': 'yes'
    """
    import yaml

    return yaml.dump_all(
        documents,
        Dumper=_dumper(),
        default_flow_style=False,
        explicit_start=True,
        allow_unicode=True,
        sort_keys=True,
        width=_WIDTH,
    )


@cache
def _dumper() -> Any:
    import yaml

    class Dumper(yaml.SafeDumper):
        """Writes no anchors: kubectl reads them, but people do not."""

        def ignore_aliases(self, data: Any) -> bool:
            return True

    def represent(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=_style(text))

    Dumper.add_representer(str, represent)
    return Dumper


def _style(text: str) -> str | None:
    if not text.replace("\n", "").isprintable():
        return '"'  # line breaks of Unicode and such, which other styles change
    if "\n" in text:
        return "|"
    return "'" if _AMBIGUOUS.fullmatch(text) else None


def from_yaml(text: str) -> list[dict[str, Any]]:
    """Return the documents in *text*; a time and the sign ``=`` stay text, as for Kubernetes.

    Raises:
        SchemaError: It is not YAML, or a document is not a mapping.
    """
    import yaml

    try:
        documents = [one for one in yaml.load_all(text, Loader=_loader()) if one is not None]
    except yaml.YAMLError as error:
        raise SchemaError(f"this is not YAML: {error}") from error
    if wrong := [one for one in documents if not isinstance(one, dict)]:
        raise SchemaError(f"a manifest is a mapping, not {wrong[0]!r:.60}")
    return documents


@cache
def _loader() -> Any:
    import yaml

    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times as fast, where it is

    class Loader(base):  # type: ignore[misc]  # see above
        """Knows neither times nor the value ``=``, which JSON does not know either."""

    unknown = ("tag:yaml.org,2002:timestamp", "tag:yaml.org,2002:value")
    Loader.yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in resolvers if tag not in unknown]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    return Loader

"""`Catalog`: the entries of a catalog, with the files and lines that they are from."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from kubewright.bundle.document import Document, read_documents, text
from kubewright.crd.manifest import to_yaml
from kubewright.errors import ConfigError

__all__ = ["BUNDLE", "CHANNEL", "PACKAGE", "Catalog", "catalog_text", "read_catalog"]

PACKAGE: str = "olm.package"
CHANNEL: str = "olm.channel"
BUNDLE: str = "olm.bundle"
_ENDS = (".yaml", ".yml", ".json")


@dataclass(frozen=True, slots=True)
class Catalog:
    """A catalog.

    Attributes:
        entries: Everything in it, in the order of the files.
    """

    entries: list[Document] = field(default_factory=list)

    def of(self, schema: str, package: str | None = None) -> list[Document]:
        """Return the entries of a schema, of one package if that is named."""
        key = "name" if schema == PACKAGE else "package"
        return [
            one
            for one in self.entries
            if schema_of(one) == schema and package in (None, one.at(key))
        ]


def schema_of(entry: Document) -> str:
    """Return what sort of entry it is, or an empty string."""
    return text(entry.at("schema"))


def read_catalog(files: Mapping[str, str]) -> Catalog:
    """Read a catalog.

    Args:
        files: Its texts, by their paths as messages should name them. Other files than YAML and
            JSON are left out.

    Raises:
        ConfigError: A file cannot be read as YAML or JSON; the message says where.
    """
    found: list[Document] = []
    for path in sorted(files):
        if path.endswith(_ENDS):
            found += _read_json(path, files[path]) if path.endswith(".json") else (
                read_documents(path, files[path])
            )  # fmt: skip
    return Catalog(found)


def catalog_text(entries: Iterable[Mapping[str, Any]]) -> str:
    """Return the file with *entries*."""
    return to_yaml(*(dict(one) for one in entries))


def _read_json(path: str, content: str) -> list[Document]:
    """Read JSON documents, one behind the other, which YAML could not tell apart."""
    decoder, at, found = json.JSONDecoder(), 0, list[Document]()
    content = content.rstrip()
    while at < len(content):
        start = at + len(content[at:]) - len(content[at:].lstrip())
        line = content.count("\n", 0, start) + 1
        try:
            document, at = decoder.raw_decode(content, start)
        except ValueError as error:
            raise ConfigError(f"{path}, line {line}: this is not JSON: {error}") from None
        if not isinstance(document, dict):
            raise ConfigError(
                f"{path}, line {line}: an entry should be an object: {document!r:.60}"
            )
        found.append(Document(path, document, {(): line}))
    return found

"""`Document`: a YAML document that knows in which file and on which lines its fields are."""

from dataclasses import dataclass, field
from typing import Any

from kubewright.crd.manifest import with_lines
from kubewright.errors import ConfigError, SchemaError

__all__ = ["Document", "Path", "at", "items", "mapping", "read_documents", "text", "words"]

_LIMIT = 1_000_000  # a CRD with all of Kubernetes' pod in it has some thousands
Path = tuple[str | int, ...]
"""The keys and positions that lead to a field."""


@dataclass(frozen=True, slots=True)
class Document:
    """A mapping in a file.

    Attributes:
        path: The file.
        content: The mapping.
        lines: The lines of its fields.
    """

    path: str
    content: dict[str, Any]
    lines: dict[Path, int] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """Its kind, or an empty string."""
        return text(self.content.get("kind"))

    @property
    def api_version(self) -> str:
        """Its API group and version, or an empty string."""
        return text(self.content.get("apiVersion"))

    @property
    def name(self) -> str:
        """Its name, or an empty string."""
        return text(mapping(self.content.get("metadata")).get("name"))

    def at(self, *path: str | int) -> Any:
        """Return what is there; ``None`` if nothing is."""
        return at(self.content, *path)

    def line(self, *path: str | int) -> int:
        """Return the line of a field, or of what should hold it."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)


def read_documents(path: str, content: str) -> list[Document]:
    """Return the documents in the file *path*.

    Raises:
        ConfigError: It is not YAML, or a document is not a mapping; the message names the line.
    """
    try:
        found = list(with_lines(content))
    except SchemaError as error:
        raise ConfigError(f"{path}: {error}") from None
    for document, lines in found:
        if not isinstance(document, dict):
            raise ConfigError(
                f"{path}, line {lines[()]}: this should be a mapping, such as `kind: Service`, and"
                f" it is {document!r:.60}"
            )
        if _size(document, {}) > _LIMIT:
            raise ConfigError(
                f"{path}, line {lines[()]}: the document has more than {_LIMIT:,} values, once its"
                " aliases are followed. Write out what is meant"
            )
    return [Document(path, document, lines) for document, lines in found]


def _size(value: Any, known: dict[int, int]) -> int:
    """Return how many values there are in *value*; what several aliases name counts each time."""
    if not isinstance(value, dict | list):
        return 1
    if id(value) not in known:
        inside = value.values() if isinstance(value, dict) else value
        known[id(value)] = 1 + sum(_size(one, known) for one in inside)
    return known[id(value)]


def at(value: Any, *path: str | int) -> Any:
    """Return what is in *value* at *path*; ``None`` if nothing is, or if it has another shape."""
    for step in path:
        if isinstance(step, int):
            value = value[step] if isinstance(value, list) and step < len(value) else None
        else:
            value = value.get(step) if isinstance(value, dict) else None
    return value


def mapping(value: Any) -> dict[str, Any]:
    """Return *value* if it is a mapping, or else an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: Any) -> list[Any]:
    """Return *value* if it is a list, or else an empty one."""
    return value if isinstance(value, list) else []


def text(value: Any) -> str:
    """Return *value* if it is a string, or else an empty one."""
    return value if isinstance(value, str) else ""


def words(value: Any) -> list[str]:
    """Return the strings in *value* if it is a list, or else an empty list."""
    return [one for one in items(value) if isinstance(one, str)]

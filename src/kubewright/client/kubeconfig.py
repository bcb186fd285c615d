"""Kubeconfig files: read, checked for their shape, and merged. What they mean is in `context`.

Entries keep the file that they came from: paths in them are relative to it, and errors name it.
"""

import base64
import binascii
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NoReturn

import msgspec

from kubewright.client.plain_yaml import find_mapping
from kubewright.errors import ConfigError

_JSON_NAMES = {bool: "true or false", dict: "a mapping", list: "a list", str: "a string"}


class Entry(msgspec.Struct, frozen=True):
    """One named cluster, user or context, and the file that it was written in."""

    kind: str
    name: str
    body: Mapping[str, Any]
    file: Path | None = None

    def __str__(self) -> str:
        return f"{self.kind} {self.name!r} in {self.file or 'the given kubeconfig'}"

    def __repr__(self) -> str:
        return f"<{self}>"  # the body holds secrets

    def __rich_repr__(self) -> list[tuple[str, str]]:
        return [("", repr(self))]

    def fail(self, problem: str) -> NoReturn:
        """Raise a `ConfigError` about this entry."""
        raise ConfigError(f"cannot use the {self}: {problem}")

    def text(self, field: str) -> str | None:
        """Return the string *field*, or None where it is absent or empty."""
        value = self._get(field, str)
        return value or None

    def flag(self, field: str) -> bool:
        """Return the boolean *field*; absent is false."""
        return bool(self._get(field, bool))

    def section(self, field: str) -> "Entry | None":
        """Return the mapping *field* as an entry of the same name, or None."""
        value = self._get(field, dict)
        return None if value is None else Entry(self.kind, self.name, value, self.file)

    def items(self, field: str) -> list[Any]:
        """Return the list *field*; absent is empty."""
        return self._get(field, list) or []

    def texts(self, field: str) -> tuple[str, ...]:
        """Return the list of strings *field*; absent is empty."""
        values = self.items(field)
        for value in values:
            if not isinstance(value, str):
                self.fail(f"{field} must be a list of strings, not hold {value!r}. Quote it.")
        return tuple(values)

    def path(self, field: str) -> str | None:
        """Return the path *field*, made absolute by the folder of the file that says it."""
        value = self.text(field)
        if value is None or self.file is None:
            return value
        return str(self.file.parent.absolute() / value)

    def data(self, field: str) -> bytes | None:
        """Return the bytes that *field* holds in base64, or None where it is absent or empty."""
        value = self.text(field)
        if value is None:
            return None
        try:
            return base64.b64decode("".join(value.split()), validate=True)
        except (binascii.Error, ValueError) as error:
            plain = field.removesuffix("-data")
            self.fail(
                f"{field} is not valid base64 ({error}). Encode the PEM file with"
                f" `base64 -w0`, or name it with {plain} instead."
            )

    def _get(self, field: str, kind: type) -> Any:
        value = self.body.get(field)
        if value is not None and not isinstance(value, kind):
            advice = " Put it in quotes." if kind is str else ""
            shown = type(value).__name__  # not the value: it may be a secret
            self.fail(f"{field} must be {_JSON_NAMES[kind]}, not {shown}.{advice}")
        return value


class Kubeconfig(msgspec.Struct, frozen=True, kw_only=True):
    """What one file says, or several merged."""

    current_context: str = ""
    clusters: Mapping[str, Entry] = {}
    users: Mapping[str, Entry] = {}
    contexts: Mapping[str, Entry] = {}
    files: tuple[Path, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.clusters or self.users or self.contexts or self.current_context)

    @property
    def source(self) -> str:
        """The files, for errors."""
        return ", ".join(map(str, self.files)) or "the given kubeconfig"


def read(path: Path) -> Kubeconfig:
    """Read one file.

    Raises:
        ConfigError: It cannot be read, is not YAML, or has another shape than a kubeconfig.
        FileNotFoundError: There is no such file.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text in UTF-8"
        raise ConfigError(
            f"cannot read the kubeconfig {path}: {reason}. Check the path and its permissions."
        ) from error
    return parse(_load_yaml(text, path), path)


def merge(parts: Iterable[Kubeconfig]) -> Kubeconfig:
    """Merge *parts*: the first to define a name, or the current context, wins it whole."""
    merged = Kubeconfig()
    for part in parts:
        merged = Kubeconfig(
            current_context=merged.current_context or part.current_context,
            clusters={**part.clusters, **merged.clusters},
            users={**part.users, **merged.users},
            contexts={**part.contexts, **merged.contexts},
            files=merged.files + part.files,
        )
    return merged


def parse(document: Any, file: Path | None = None) -> Kubeconfig:
    """Check the shape of a *document* that was read from *file*.

    Raises:
        ConfigError: It is not a kubeconfig; the message says where.
    """
    source = str(file or "the given kubeconfig")
    if document is None:
        document = {}
    if not isinstance(document, Mapping):
        raise ConfigError(
            f"cannot use the kubeconfig {source}: it is {type(document).__name__}, not a mapping"
            " with clusters, users and contexts. Check that this is the right file."
        )
    _check_kind(document, source)
    return Kubeconfig(
        current_context=_current_context(document, source),
        clusters=_entries(document, "cluster", file),
        users=_entries(document, "user", file),
        contexts=_entries(document, "context", file),
        files=(file,) if file else (),
    )


def _current_context(document: Mapping[str, Any], source: str) -> str:
    current = document.get("current-context") or ""
    if not isinstance(current, str):
        raise ConfigError(
            f"cannot use the kubeconfig {source}: current-context must be a string, not"
            f" {current!r}. Put it in quotes."
        )
    return current


def _check_kind(document: Mapping[str, Any], source: str) -> None:
    kind, version = document.get("kind") or "Config", document.get("apiVersion") or "v1"
    if (kind, version) != ("Config", "v1"):
        raise ConfigError(
            f"cannot use the kubeconfig {source}: it holds a {version} {kind}, not a v1 Config."
            " Check that this is the right file."
        )


def _entries(document: Mapping[str, Any], kind: str, file: Path | None) -> dict[str, Entry]:
    listed = document.get(f"{kind}s")
    source = str(file or "the given kubeconfig")
    if listed is None:
        return {}
    if not isinstance(listed, list):
        raise ConfigError(
            f"cannot use the kubeconfig {source}: {kind}s must be a list of entries with a name"
            f" and a {kind}, not {type(listed).__name__}."
        )
    entries: dict[str, Entry] = {}
    for index, item in enumerate(listed):
        entry = _entry(item, kind, f"{kind}s[{index}] of the kubeconfig {source}", file=file)
        if entry.name in entries:
            entry.fail("there are two of that name. Rename or remove one.")
        entries[entry.name] = entry
    return entries


def _entry(item: Any, kind: str, where: str, *, file: Path | None) -> Entry:
    if not isinstance(item, Mapping):
        raise ConfigError(f"cannot use {where}: it must be a mapping with a name and a {kind}.")
    name = item.get("name")
    if not isinstance(name, str) or not name:
        found = "it has no name" if name in (None, "") else f"its name {name!r} is not a string"
        raise ConfigError(f"cannot use {where}: {found}. Add a name, in quotes if it is a number.")
    body = item.get(kind)
    if body is None:
        body = {}
    if not isinstance(body, Mapping):
        raise ConfigError(f"cannot use {where}, {name!r}: {kind} must be a mapping.")
    return Entry(kind, name, body, file)


def _load_yaml(text: str, path: Path) -> Any:
    if text.lstrip().startswith("{"):  # YAML does not allow the tabs that JSON does
        try:
            return msgspec.json.decode(text)
        except msgspec.DecodeError:
            pass  # a flow mapping
    plain = find_mapping(text)
    if plain is not None:
        return plain
    import yaml

    try:
        return yaml.load(text, Loader=_loader())  # noqa: S506  # a SafeLoader
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        at = f" at line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        # Neither what PyYAML quotes nor a number that is none: both may be a token.
        problem = getattr(error, "problem", None) or "a value in it cannot be read"
        raise ConfigError(
            f"cannot read the kubeconfig {path}: it is not YAML{at}: {problem}."
            " Correct the file, or write a new one with `kubectl config`."
        ) from None  # its text is the line where it happened


def _loader() -> Any:
    import yaml

    class Loader(yaml.SafeLoader):
        """A safe loader for which a date is a string, as for Go."""

    Loader.yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in found if not tag.endswith(":timestamp")]
        for first, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    return Loader

"""JSON patches (RFC 6902), as Kubernetes' library applies them.

It differs from the RFC in two ways that clients can see: ``replace`` adds a field that does not
exist, and a negative index counts from the end of a list.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from typing import Any

import msgspec

from kubewright.apiserver.meta.status import StatusError, bad_request

MAX_OPERATIONS: int = 10_000
MAX_COPIED: int = 3 * 1024 * 1024
"""The most bytes that all ``copy`` operations of a patch may add together."""

_TEXTS = ("op", "path", "from")
_FIELDS = frozenset({*_TEXTS, "value"})


class NotApplicableError(ValueError):
    """An operation does not apply.

    Clients do not see the text, which is Kubernetes' own; logs and webhooks' patches need it.
    """


def apply(document: Any, operations: bytes | list[dict[str, Any]]) -> Any:
    """Return *document* with all *operations* applied; neither is modified.

    Raises:
        StatusError: The patch is malformed (400), too long (413), or does not apply (422; its
            cause is a `NotApplicableError` that says why).
    """
    found = decode(operations) if isinstance(operations, bytes) else _checked(operations)
    if len(found) > MAX_OPERATIONS:
        why = f"The allowed maximum operations in a JSON patch is {MAX_OPERATIONS}"
        message = f"Request entity too large: {why}, got {len(found)}"
        raise StatusError(413, "RequestEntityTooLarge", message)
    patching = _Patcher(deepcopy(document))
    try:
        for operation in found:
            patching.run(operation)
    except NotApplicableError as error:
        message = "the server rejected our request due to an error in our request"
        raise StatusError(422, "Invalid", message) from error
    return patching.document


def decode(data: bytes) -> list[dict[str, Any]]:
    """Return the operations of a patch.

    Raises:
        StatusError: It is not a list of operations.
    """
    try:
        found = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise bad_request(f"error decoding patch: {error}") from error
    return _checked(found)


def _checked(found: Any) -> list[dict[str, Any]]:
    if found is None:
        return []
    if not isinstance(found, list):
        raise _wrong(found, "value of type []handlers.jsonPatchOp")
    for operation in found:
        if not isinstance(operation, dict):
            raise _wrong(operation, "value of type handlers.jsonPatchOp")
        for name in _TEXTS:
            if (text := operation.get(name)) is not None and not isinstance(text, str):
                raise _wrong(text, f"struct field jsonPatchOp.{name} of type string")
    return found


def _wrong(value: Any, into: str) -> StatusError:
    names = {dict: "object", list: "array", str: "string", bool: "bool"}
    sort = names.get(type(value), "number")
    return bad_request(f"error decoding patch: json: cannot unmarshal {sort} into Go {into}")


def unknown_fields(operations: list[dict[str, Any]]) -> list[str]:
    """Return the paths of unknown fields in operations."""
    return [
        f"[{index}].{name}"
        for index, operation in enumerate(operations)
        for name in operation
        if name not in _FIELDS
    ]


class _Patcher:
    """Applies operations to a document, one after the other."""

    def __init__(self, document: Any) -> None:
        self.document = document
        self._copied = 0

    def run(self, operation: dict[str, Any]) -> None:
        """Apply one operation."""
        match operation.get("op"):
            case "add":
                self._add(operation)
            case "remove":
                self._remove(operation)
            case "replace":
                self._replace(operation)
            case "move":
                self._move(operation)
            case "copy":
                self._copy(operation)
            case "test":
                self._test(operation)
            case other:
                raise NotApplicableError(f"Unexpected kind: {other or 'unknown'}")

    def _add(self, operation: dict[str, Any]) -> None:
        path = _path(operation, "")
        place = self._find(path, f'add operation does not apply: doc is missing path: "{path}"')
        with _failing(f"error in add for path: '{path}'"):
            _insert(*place, _value(operation))

    def _remove(self, operation: dict[str, Any]) -> None:
        path = _path(operation, "")
        place = self._find(path, f'remove operation does not apply: doc is missing path: "{path}"')
        with _failing(f"error in remove for path: '{path}'"):
            _take(*place)

    def _replace(self, operation: dict[str, Any]) -> None:
        path, value = _path(operation), _value(operation)
        if not path:
            if not isinstance(value, (dict, list)):
                raise NotApplicableError("replace operation value must be object or array")
            self.document = value
            return
        why = "replace operation does not apply: doc is missing"
        holder, key = self._find(path, f"{why} path: {path}")
        if isinstance(holder, dict):
            # The RFC does not allow it, but `kubectl rollout undo` relies on it.
            holder[key] = value
            return
        try:
            holder[_index(key, len(holder))] = value
        except NotApplicableError:
            raise NotApplicableError(f"{why} key: {path}: missing value") from None

    def _move(self, operation: dict[str, Any]) -> None:
        source = _source(operation)
        why = "move operation does not apply: doc is missing"
        holder, key = self._find(source, f"{why} from path: {source}")
        with _failing(f"error in move for path: '{key}'"):
            value = _take(holder, key)
        path = _path(operation)
        place = self._find(path, f"{why} destination path: {path}")
        with _failing(f"error in move for path: '{path}'"):
            _insert(*place, value)

    def _copy(self, operation: dict[str, Any]) -> None:
        source = _source(operation)
        why = "copy operation does not apply: doc is missing"
        place = self._find(source, f"{why} from path: {source}")
        with _failing(f"error in copy for from: '{source}'"):
            value = _get(*place)
        path = _path(operation, "")
        place = self._find(path, f"{why} destination path: {path}")
        self._count(value)
        with _failing("error while adding value during copy"):
            _insert(*place, deepcopy(value))

    def _count(self, value: Any) -> None:
        """Count the bytes that copies add; reject patches that copy too much."""
        if value is not None:
            self._copied += len(msgspec.json.encode(value))
        if self._copied > MAX_COPIED:
            raise NotApplicableError(
                "Unable to complete the copy, the accumulated size increase of copy is"
                f" {self._copied}, exceeding the limit {MAX_COPIED}"
            )

    def _test(self, operation: dict[str, Any]) -> None:
        path, value = _path(operation), self.document
        if path:
            place = self._find(path, f"test operation does not apply: is missing path: {path}")
            with _failing(f"error in test for path: '{path}'"):
                value = _get(*place)
        if not _equal(value, operation.get("value")):
            raise NotApplicableError(f"testing value {path} failed: test failed")

    def _find(self, path: str, why: str) -> tuple[Any, str]:
        """Return the object or list that holds the end of *path*, and the last part of the path."""
        missing = NotApplicableError(f"{why}: missing value")
        _, *parts = path.split("/")
        if not parts:
            raise missing
        holder = self.document
        for part in parts[:-1]:
            try:
                holder = _get(holder, _plain(part))
            except NotApplicableError:
                raise missing from None
            if not isinstance(holder, (dict, list)):
                raise missing
        return holder, _plain(parts[-1])


@contextmanager
def _failing(what: str) -> Iterator[None]:
    try:
        yield
    except NotApplicableError as error:
        raise NotApplicableError(f"{what}: {error}") from None


def _path(operation: dict[str, Any], detail: str = "operation missing path field: ") -> str:
    found = operation.get("path")
    if not isinstance(found, str):
        op = operation["op"]
        raise NotApplicableError(f"{op} operation failed to decode path: {detail}missing value")
    return found


def _source(operation: dict[str, Any]) -> str:
    found = operation.get("from")
    if not isinstance(found, str):
        why = f"{operation['op']} operation failed to decode from"
        raise NotApplicableError(f"{why}: operation, missing from field: missing value")
    return found


def _value(operation: dict[str, Any]) -> Any:
    return deepcopy(operation.get("value"))


def _plain(part: str) -> str:
    return part.replace("~1", "/").replace("~0", "~") if "~" in part else part


def _index(key: str, length: int) -> int:
    """Return the position that *key* means in a list."""
    index = _number(key)
    if not -length <= index < length:
        raise NotApplicableError(
            f"Unable to access invalid index: {index}: invalid index referenced"
        )
    return index + length if index < 0 else index


def _number(key: str) -> int:
    digits = key[1:] if key[:1] in ("+", "-") else key
    if not (digits.isascii() and digits.isdigit()):
        raise NotApplicableError(f'strconv.Atoi: parsing "{key}": invalid syntax')
    return int(key)


def _insert(holder: Any, key: str, value: Any) -> None:
    if isinstance(holder, dict):
        holder[key] = value
    elif key == "-":
        holder.append(value)
    else:
        with _failing(f"value was not a proper array index: '{key}'"):
            index = _number(key)
        holder.insert(_index(str(index), len(holder) + 1), value)


def _get(holder: Any, key: str) -> Any:
    # An absent field tests equal to null, and is copied as null.
    return holder.get(key) if isinstance(holder, dict) else holder[_index(key, len(holder))]


def _take(holder: Any, key: str) -> Any:
    if isinstance(holder, list):
        return holder.pop(_index(key, len(holder)))
    if key not in holder:
        raise NotApplicableError(f"Unable to remove nonexistent key: {key}: missing value")
    return holder.pop(key)


def _equal(left: Any, right: Any) -> bool:
    """Return whether two values are equal as JSON: ``1``, ``1.0`` and ``true`` all differ."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        same = left.keys() == right.keys()
        return same and all(_equal(value, right[name]) for name, value in left.items())
    if isinstance(left, list):
        return len(left) == len(right) and all(map(_equal, left, right))
    return bool(left == right)

"""Secrets."""

from base64 import b64decode, b64encode
from binascii import Error as Base64Error

import msgspec

from kubewright.apiserver.builtin.core.configmaps import SIZE_LIMIT, decoded_size, immutable_data
from kubewright.apiserver.builtin.fields.checks import config_key, immutable, problems
from kubewright.apiserver.meta import field
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj, Strategy, Write

_ACCOUNT_NAME = "kubernetes.io/service-account.name"
# The keys that a Secret of each type must have.
_KEYS: dict[str, tuple[str, ...]] = {
    "kubernetes.io/dockercfg": (".dockercfg",),
    "kubernetes.io/dockerconfigjson": (".dockerconfigjson",),
    "kubernetes.io/ssh-auth": ("ssh-privatekey",),
    "kubernetes.io/tls": ("tls.crt", "tls.key"),
}


class SecretStrategy(Strategy):
    """Secrets."""

    field_names: frozenset[str] = frozenset({"type"})

    def default(self, obj: Obj) -> None:
        """Set the type; encode ``stringData`` into ``data``."""
        obj.setdefault("type", "Opaque")
        plain = obj.pop("stringData", None)
        if plain:
            encoded = {key: b64encode(value.encode()).decode() for key, value in plain.items()}
            obj["data"] = (obj.get("data") or {}) | encoded

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Check the keys, the size, and the rules of the type."""
        data = obj.get("data") or {}
        found: Errors = []
        for key in data:
            found += problems(config_key, key, f"data[{key}]")
        if sum(map(decoded_size, data.values())) > SIZE_LIMIT:
            found.append(field.too_long("data", SIZE_LIMIT))
        return found + _typed(obj, data)

    def validate_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Check that the type did not change, nor the data of an immutable Secret."""
        found = immutable(new.get("type"), old.get("type"), "type")
        return found + immutable_data(new, old, ("data",)) + self.validate(new, write)

    def selectable_fields(self, obj: Obj) -> dict[str, str]:
        """Return the type."""
        return {"type": obj.get("type", "")}


def _typed(obj: Obj, data: Obj) -> Errors:
    kind = obj.get("type", "")
    if kind == "kubernetes.io/service-account-token":
        notes = obj["metadata"].get("annotations") or {}
        path = f"metadata.annotations[{_ACCOUNT_NAME}]"
        return [] if notes.get(_ACCOUNT_NAME) else [field.required(path)]
    if kind == "kubernetes.io/basic-auth":
        keys = ("username", "password")
        given = any(key in data for key in keys)
        return [] if given else [field.required(f"data[{key}]") for key in keys]
    wanted = _KEYS.get(kind, ())
    filled = kind == "kubernetes.io/ssh-auth"
    missing = [key for key in wanted if key not in data or (filled and not data[key])]
    if missing:
        return [field.required(f"data[{key}]") for key in missing]
    return _docker(data, wanted[0]) if kind.startswith("kubernetes.io/dockerc") else []


def _docker(data: Obj, key: str) -> Errors:
    try:
        msgspec.json.decode(b64decode(data[key] or ""), type=dict)
    except (msgspec.DecodeError, Base64Error, UnicodeDecodeError) as error:
        why = _go_json_error(b64decode(data[key] or ""), error)
        return [field.invalid(f"data[{key}]", field.REDACTED, why)]
    return []


def _go_json_error(text: bytes, error: Exception) -> str:
    """Return the message of Go's decoder for common mistakes."""
    stripped = text.strip()
    if not stripped:
        return "unexpected end of JSON input"
    if isinstance(error, msgspec.ValidationError):
        kinds = {"[": "array", '"': "string", "t": "bool", "f": "bool"}
        kind = kinds.get(chr(stripped[0]), "number")
        return f"json: cannot unmarshal {kind} into Go value of type map[string]interface {{}}"
    first = chr(stripped[0])
    if first not in '{["tfn-0123456789':
        return f"invalid character {_go_quoted(first)} looking for beginning of value"
    for word in ("true", "false", "null"):
        if word[0] == first:
            return _bad_literal(stripped.decode(errors="replace"), word)
    return "unexpected end of JSON input"


def _bad_literal(text: str, word: str) -> str:
    for got, wanted in zip(text, word, strict=False):
        if got != wanted:
            return f"invalid character {_go_quoted(got)} in literal {word} (expecting '{wanted}')"
    return "unexpected end of JSON input"


def _go_quoted(character: str) -> str:
    return "'\\''" if character == "'" else f"'{character}'"

"""ConfigMaps."""

from kubewright.apiserver.builtin.fields.checks import config_key, problems
from kubewright.apiserver.meta import field
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj, Strategy, Write

SIZE_LIMIT: int = 1024 * 1024
_FIXED = "field is immutable when `immutable` is set"


class ConfigMapStrategy(Strategy):
    """ConfigMaps."""

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Check the keys and the size."""
        data, binary = obj.get("data") or {}, obj.get("binaryData") or {}
        found: Errors = []
        for key in data:
            found += problems(config_key, key, f"data[{key}]")
            if key in binary:
                why = "duplicate of key present in binaryData"
                found.append(field.invalid(f"data[{key}]", key, why))
        for key in binary:
            found += problems(config_key, key, f"binaryData[{key}]")
        size = sum(len(value.encode()) for value in data.values())
        size += sum(decoded_size(value) for value in binary.values())
        # Kubernetes prints the empty path of the whole object as "[]".
        return [*found, field.too_long("[]", SIZE_LIMIT)] if size > SIZE_LIMIT else found

    def validate_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Check that the data of an immutable ConfigMap did not change."""
        return immutable_data(new, old, ("data", "binaryData")) + self.validate(new, write)


def immutable_data(new: Obj, old: Obj, fields: tuple[str, ...]) -> Errors:
    """Return which of *fields* changed although the old object is marked as immutable."""
    if not old.get("immutable"):
        return []
    found = [] if new.get("immutable") else [field.forbidden("immutable", _FIXED)]
    changed = [name for name in fields if (new.get(name) or {}) != (old.get(name) or {})]
    return found + [field.forbidden(name, _FIXED) for name in changed]


def decoded_size(value: str | None) -> int:
    """Return how many bytes a base64 text stands for."""
    return len(value or "") * 3 // 4 - (value or "")[-2:].count("=")

"""RuntimeClasses."""

from kubewright.apiserver.builtin.core.pod.placement import validate_tolerations
from kubewright.apiserver.builtin.core.pod.resources import validate_resources
from kubewright.apiserver.builtin.fields.checks import IMMUTABLE, first_indexes, problems
from kubewright.apiserver.meta import field, naming
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj, Strategy, Write


class RuntimeClassStrategy(Strategy):
    """How RuntimeClasses behave."""

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Return what is wrong with a new class."""
        handler = obj.get("handler")
        errors: Errors = []
        if overhead := (obj.get("overhead") or {}).get("podFixed"):
            errors += validate_resources({"limits": overhead}, "overhead")
        scheduling = obj.get("scheduling") or {}
        errors += naming.labels(scheduling.get("nodeSelector") or {}, "scheduling.nodeSelector")
        tolerations = scheduling.get("tolerations") or []
        errors += validate_tolerations(tolerations, "scheduling.tolerations")
        first = first_indexes(map(_key, tolerations))
        errors += [
            field.duplicate(f"scheduling.tolerations[{i}]", one)
            for i, one in enumerate(tolerations)
            if first[_key(one)] != i
        ]
        if not handler:
            return [*errors, field.required("handler")]
        return errors + problems(naming.dns_label, handler, "handler")

    def validate_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Return an error if the handler changed; nothing else is checked."""
        if new.get("handler") == old.get("handler"):
            return []
        return [field.invalid("handler", None, IMMUTABLE)]


def _key(toleration: Obj) -> tuple[object, ...]:
    return tuple(toleration.get(name) for name in ("key", "operator", "value", "effect"))

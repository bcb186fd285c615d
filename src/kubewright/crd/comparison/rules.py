"""The CEL rules of a value: which are new, and which are gone."""

from collections.abc import Iterator

from kubewright.crd.comparison.change import Change, breaks, risky, safe, shown
from kubewright.crd.markers import JSONSchema

_KEY = "x-kubernetes-validations"


def compared_rules(old: JSONSchema, new: JSONSchema, path: str) -> Iterator[Change]:
    """Yield what changed in the CEL rules of the value at *path*; messages do not count."""
    before, after = _rules(old), _rules(new)
    for rule in sorted(after.keys() - before.keys()):
        said = f"a new rule, {_words(after[rule])}: "
        if _is_of_updates(after[rule]):
            yield risky("rule-added", f"{said}updates that break it are refused", path)
        else:
            yield breaks("rule-added", f"{said}objects that break it are refused", path)
    for rule in sorted(before.keys() - after.keys()):
        yield safe("rule-removed", f"the rule {_words(before[rule])} is gone", path)


def has_rules_of_state(schema: JSONSchema) -> bool:
    """Return whether a rule judges the value itself, and not only how it changes."""
    return any(not _is_of_updates(rule) for rule in _rules(schema).values())


def _is_of_updates(rule: JSONSchema) -> bool:
    return "oldSelf" in str(rule.get("rule")) and not rule.get("optionalOldSelf")


def _rules(schema: JSONSchema) -> dict[str, JSONSchema]:
    found = schema.get(_KEY) or []
    return {str(one.get("rule", "")).strip(): one for one in found if isinstance(one, dict)}


def _words(rule: JSONSchema) -> str:
    """Return what the rule says to people, or itself."""
    return shown(" ".join(str(rule.get("message") or rule.get("rule") or "").split()))

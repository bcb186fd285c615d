"""Custom resources: the CEL rules in ``x-kubernetes-validations``.

`rules_of` compiles the rules of a schema into a tree with the same structure. Validation walks an
object and that tree together. On an update it finds the old value of each new one, for rules that
compare both, and to tolerate broken rules where nothing changed.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

from kubewright.apiserver.cel import (
    STRING,
    Budget,
    CompileError,
    CostLimitError,
    EvaluationError,
    Program,
    ResultTypeError,
    Type,
    compile_rule,
    optional_of,
    type_of,
)
from kubewright.apiserver.cel.values import NONE, Optional
from kubewright.apiserver.effort import LIGHT, TooMuchError
from kubewright.apiserver.meta import field
from kubewright.apiserver.meta.field import Errors, FieldError, Reason
from kubewright.apiserver.schema.fieldpath import FieldPathError, resolve
from kubewright.apiserver.schema.prune import takes_any_key
from kubewright.apiserver.schema.ratchet import Correlated, find_element, keyed
from kubewright.apiserver.schema.tree import Schema
from kubewright.apiserver.schema.validate import NO_PATH

Warn = Callable[[str], None]

OUT_OF_BUDGET: str = (
    "validation failed due to running out of cost budget, no further validation rules will be run"
)
MESSAGE_LIMIT: int = 5 * 1024
"""The most bytes of a message from a ``messageExpression``."""

_REASONS: dict[str, tuple[Reason, str]] = {
    "FieldValueRequired": ("FieldValueRequired", "Required value"),
    "FieldValueForbidden": ("FieldValueForbidden", "Forbidden"),
    "FieldValueDuplicate": ("FieldValueDuplicate", "Duplicate value"),
    "FieldValueInvalid": ("FieldValueInvalid", "Invalid value"),
}
_META = frozenset({"apiVersion", "kind"})


class CompiledRule(NamedTuple):
    """A compiled rule and its message, or the problem that kept it from compiling."""

    source: dict[str, Any]
    program: Program | None
    message: Program | None = None
    problem: str = ""
    message_problem: str = ""

    @property
    def is_transition(self) -> bool:
        """Return whether the rule uses ``oldSelf``."""
        return self.program is not None and "oldSelf" in self.program.variables_used

    @property
    def is_optional(self) -> bool:
        """Return whether the rule also runs without an old value (``optionalOldSelf``)."""
        return bool(self.source.get("optionalOldSelf"))


def compile_rules(schema: Schema, self_type: Type) -> list[CompiledRule]:
    """Compile the rules of one node; invalid ones get a problem instead of a program."""
    return [
        _compiled(rule, self_type) for rule in schema.source.get("x-kubernetes-validations") or ()
    ]


def _compiled(rule: dict[str, Any], self_type: Type) -> CompiledRule:
    optional = rule.get("optionalOldSelf")
    variables = {"self": self_type, "oldSelf": optional_of(self_type) if optional else self_type}
    if not (rule.get("rule") or "").strip():
        return CompiledRule(rule, None)
    try:
        program = compile_rule(rule["rule"], variables)
    except ResultTypeError as error:
        return CompiledRule(rule, None, problem=str(error))
    except CompileError as error:
        return CompiledRule(rule, None, problem=f"compilation failed: {error}")
    if not rule.get("messageExpression"):
        return CompiledRule(rule, program)
    message, problem = _compiled_message(rule["messageExpression"], variables)
    return CompiledRule(rule, program, message, message_problem=problem)


def _compiled_message(source: str, variables: dict[str, Type]) -> tuple[Program | None, str]:
    try:
        return compile_rule(source, variables, result=STRING), ""
    except ResultTypeError:
        return None, "messageExpression must evaluate to a string"
    except CompileError as error:
        return None, f"messageExpression compilation failed: {error}"


def has_rules(schema: Schema) -> bool:
    """Return whether rules are at or below this node."""
    known: bool | None = schema.memo.get("has rules")
    if known is None:
        own = bool(schema.source.get("x-kubernetes-validations"))
        known = schema.memo["has rules"] = own or any(map(has_rules, schema.children()))
    return known


def rules_of(schema: Schema, *, root: bool) -> "Rules | None":
    """Return the compiled rules at and below a node; ``None`` if there are none.

    Args:
        schema: The node.
        root: Whether it describes whole objects, in which rules see apiVersion, kind and metadata.
    """
    return Rules(schema, root=root) if has_rules(schema) else None


class Rules:
    """The rules of a node and of those below it."""

    __slots__ = ("additional", "items", "problem", "properties", "rules", "schema")

    def __init__(self, schema: Schema, *, root: bool) -> None:
        self.schema: Schema = schema
        self.problem: str = ""
        self.rules: list[CompiledRule] = []
        if schema.source.get("x-kubernetes-validations"):
            found = type_of(schema, root=root)
            if found is None:
                self.problem = "failed to convert to declType for CEL validation rules"
            else:
                self.rules = compile_rules(schema, found)
        self.items: Rules | None = _below(schema.items)
        self.additional: Rules | None = None if takes_any_key(schema) else _below(schema.additional)
        self.properties: dict[str, Rules] = {
            name: rules
            for name, child in schema.properties.items()
            if (rules := _below(child)) is not None
        }

    def validate(
        self,
        new: Any,
        old: Any,
        *,
        path: str = "",
        correlated: Correlated | None = None,
        warn: Warn | None = None,
        light: bool = False,
    ) -> Errors:
        """Return the rules that *new* breaks.

        Args:
            new: The value to store.
            old: The stored value; ``None`` on create.
            path: The path of *new*.
            correlated: The pair of both, on an update: unchanged values only cause warnings.
            warn: Called with the text of each broken rule that is tolerated.
            light: Whether to give up on expensive work.

        Raises:
            TooMuchError: It would be too much work for a *light* run.
        """
        run = _Run(warn, Budget(LIGHT, LIGHT) if light else Budget())
        with suppress(_ExhaustedError):
            run.visit(self, new, old, path, _Ratchet(correlated, None))
        if light and run.budget.spent > LIGHT:
            raise TooMuchError
        return run.errors


def _below(schema: Schema | None) -> Rules | None:
    if schema is None or not has_rules(schema):
        return None
    return Rules(schema, root=schema.embedded_resource)


class _ExhaustedError(Exception):
    """The budget is spent: no more rules are run."""


class _Ratchet(NamedTuple):
    """The pair of new and old value, and the pair above it for values without an old one."""

    here: Correlated | None
    above: Correlated | None

    def key(self, name: str) -> "_Ratchet":
        if self.here is None:
            return self
        if self.above is None and name in _META:
            return _Ratchet(None, None)
        return _Ratchet(self.here.key(name), self.here)

    def item(self, place: int) -> "_Ratchet":
        return self if self.here is None else _Ratchet(self.here.index(place), self.here)

    def unchanged(self) -> bool:
        pair = self.here if self.here is not None else self.above
        return pair is not None and pair.unchanged()


class _Run:
    """One validation: the errors so far and the remaining budget."""

    def __init__(self, warn: Warn | None, budget: Budget) -> None:
        self.errors: Errors = []
        self.budget = budget
        self.warn = warn

    def visit(self, rules: Rules, new: Any, old: Any, path: str, ratchet: _Ratchet) -> None:
        if new is None:
            return
        if rules.problem:
            self._fail(rules, path, f"rule compiler initialization error: {rules.problem}")
        elif rules.rules:
            self._check(rules, new, old, path, ratchet)
        if isinstance(new, list):
            self._visit_list(rules, new, old, path, ratchet)
        elif isinstance(new, dict):
            self._visit_object(rules, new, old, path, ratchet)

    def _visit_list(
        self, rules: Rules, new: list[Any], old: Any, path: str, ratchet: _Ratchet
    ) -> None:
        if rules.items is None:
            return
        keys = rules.schema.list_map_keys if rules.schema.list_type == "map" else ()
        before = keyed(old, keys) if isinstance(old, list) and keys else {}
        for place, item in enumerate(new):
            found = find_element(before, item, keys)
            self.visit(rules.items, item, found, f"{path}[{place}]", ratchet.item(place))

    def _visit_object(
        self, rules: Rules, new: dict[str, Any], old: Any, path: str, ratchet: _Ratchet
    ) -> None:
        before = old if isinstance(old, dict) else {}
        if rules.additional is not None:
            for key, item in new.items():
                below = f"{path}[{key}]"
                self.visit(rules.additional, item, before.get(key), below, ratchet.key(key))
        if not rules.properties:
            return
        for key, item in new.items():
            inner = rules.properties.get(key)
            if inner is not None:
                below = f"{path}.{key}" if path else key
                self.visit(inner, item, before.get(key), below, ratchet.key(key))

    def _fail(self, rules: Rules, path: str, text: str) -> None:
        self.errors.append(field.invalid(path or NO_PATH, rules.schema.type, text))

    def _stop(self, rules: Rules, path: str, text: str) -> None:
        self._fail(rules, path, text)
        raise _ExhaustedError

    def _check(self, rules: Rules, new: Any, old: Any, path: str, ratchet: _Ratchet) -> None:
        if self.budget.spent >= self.budget.limit:
            self._stop(rules, path, OUT_OF_BUDGET)
        for rule in rules.rules:
            if rule.problem:
                self._fail(rules, path, f"rule compile error: {rule.problem}")
            elif rule.program is not None and not (
                rule.is_transition and old is None and not rule.is_optional
            ):
                self._check_rule(rules, rule, _values(rule, new, old), path, ratchet)

    def _check_rule(
        self, rules: Rules, rule: CompiledRule, values: dict[str, Any], path: str, ratchet: _Ratchet
    ) -> None:
        assert rule.program is not None
        try:
            held = rule.program.evaluate(values, budget=self.budget)
        except CostLimitError as error:
            if self.budget.spent > self.budget.limit:
                self._stop(rules, path, OUT_OF_BUDGET)
            text = "no further validation rules will be run due to call cost exceeds limit for rule"
            self._stop(rules, path, f"'{error}': {text}: {_name(rule)}")
        except EvaluationError as error:
            self._fail(rules, path, _evaluation_text(str(error), rule))
        else:
            if held is not True:
                self._break(rules, rule, values, path, ratchet)

    def _break(
        self, rules: Rules, rule: CompiledRule, values: dict[str, Any], path: str, ratchet: _Ratchet
    ) -> None:
        """Record a broken rule; only warn about it if the value did not change."""
        where = _joined(path, rule_path(rule.source, rules.schema)) or NO_PATH

        def add(error: FieldError) -> None:
            if rule.is_transition or not ratchet.unchanged():
                self.errors.append(error)
            elif self.warn is not None:
                self.warn(str(error))

        detail = _name(rule) if rule.source.get("message") else f"failed rule: {_name(rule)}"
        if rule.message is not None:
            try:
                detail = self._message(rule, values) or detail
            except CostLimitError as error:
                add(field.invalid(where, rules.schema.type, self._message_text(rule, error)))
                raise _ExhaustedError from None
        add(_error(rule, rules.schema, where, values["self"], detail))

    def _message(self, rule: CompiledRule, values: dict[str, Any]) -> str:
        """Return the result of the ``messageExpression``; empty if it is unusable."""
        assert rule.message is not None
        try:
            found = rule.message.evaluate(values, budget=self.budget)
        except CostLimitError:
            raise
        except EvaluationError:
            return ""
        text = found.strip() if isinstance(found, str) else ""
        return "" if "\n" in text or len(text.encode()) > MESSAGE_LIMIT else text

    def _message_text(self, rule: CompiledRule, error: CostLimitError) -> str:
        if self.budget.spent > self.budget.limit:
            return (
                "messageExpression evaluation failed due to running out of cost budget, no further"
                " validation rules will be run"
            )
        source = field.quoted(rule.source["messageExpression"])
        return (
            "no further validation rules will be run due to call cost exceeds limit for"
            f" messageExpression: {source}"
        )


def _values(rule: CompiledRule, new: Any, old: Any) -> dict[str, Any]:
    if not rule.is_optional:
        return {"self": new, "oldSelf": old}
    return {"self": new, "oldSelf": NONE if old is None else Optional(old)}


def _name(rule: CompiledRule) -> str:
    text: str = rule.source.get("message") or rule.source["rule"]
    return text.strip()


def _evaluation_text(error: str, rule: CompiledRule) -> str:
    if error.startswith("no such overload"):
        text = "call arguments did not match a supported operator, function or macro signature"
        return f"'{error}': {text} for rule: {_name(rule)}"
    return f"{error} evaluating rule: {_name(rule)}"


def rule_path(rule: dict[str, Any], schema: Schema) -> str:
    """Return a rule's ``fieldPath`` as errors show it; empty for the node itself."""
    if not rule.get("fieldPath"):
        return ""
    try:
        return resolve(rule["fieldPath"], schema.source)[0]
    except FieldPathError:
        return ""


def _joined(path: str, below: str) -> str:
    return f"{path}.{below}" if path and below else path or below


def _error(rule: CompiledRule, schema: Schema, path: str, value: Any, detail: str) -> FieldError:
    reason, text = _REASONS.get(rule.source.get("reason") or "", _REASONS["FieldValueInvalid"])
    shows_value = reason in {"FieldValueInvalid", "FieldValueDuplicate"}
    if shows_value and schema.type not in {"object", "array"}:
        text = f"{text}: {field.shown(value)}"
    if reason != "FieldValueDuplicate" and detail:
        text = f"{text}: {detail}"
    return FieldError(reason, path, text)

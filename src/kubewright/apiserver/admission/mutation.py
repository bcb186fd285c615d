"""A MutatingAdmissionPolicy and its mutations, which are applied one after the other."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from kubewright.apiserver import cel
from kubewright.apiserver.admission.attributes import GroupVersionKind, Objects
from kubewright.apiserver.admission.conditions import BUDGET, ConditionError, all_met
from kubewright.apiserver.admission.expression import Expression, ExpressionError
from kubewright.apiserver.admission.policy import Policy, Variables
from kubewright.apiserver.cel.objects import misnamed, to_json
from kubewright.apiserver.registry.strategy import Obj

if TYPE_CHECKING:
    from kubewright.apiserver.cel import Budget

Changed = Callable[[Obj], dict[str, Any]]
"""Returns what expressions see of the write when its object is this one."""


class MutationError(Exception):
    """A policy could not be applied; its failure policy decides what happens then."""


class MutatingPolicy(Policy):
    """The expressions of a policy that changes objects.

    Attributes:
        reinvoked: Whether it is asked again when others change the object after it.
    """

    def __init__(self, source: Obj) -> None:
        super().__init__(source)
        spec = source.get("spec") or {}
        self.reinvoked: bool = spec.get("reinvocationPolicy") == "IfNeeded"
        self._mutations = [self._mutation(one) for one in spec.get("mutations") or ()]

    def _mutation(self, source: Obj) -> tuple[bool, Expression]:
        """Return an expression, and whether it makes a JSON patch."""
        patches = source.get("patchType") == "JSONPatch"
        part = source.get("jsonPatch" if patches else "applyConfiguration") or {}
        made = "list(JSONPatch)" if patches else "Object"
        return patches, self._expression(part.get("expression"), "policy", result=made)

    def expressions(self) -> Iterator[tuple[str, Expression]]:
        """Yield all expressions but those of conditions, each with its field."""
        yield from super().expressions()
        for index, (patches, expression) in enumerate(self._mutations):
            part = "jsonPatch" if patches else "applyConfiguration"
            yield f"spec.mutations[{index}].{part}.expression", expression

    def is_about(self, values: dict[str, Any]) -> bool:
        """Whether all conditions hold.

        Raises:
            MutationError: A condition cannot be evaluated.
        """
        try:
            seen = self._with_variables(values, cel.Budget())
            limited = cel.Budget(BUDGET)
            return all_met(self._conditions, seen, tolerated=self.tolerated, budget=limited)
        except ConditionError as error:
            raise MutationError(str(error)) from error

    def mutate(self, obj: Obj, seen: Changed, *, objects: Objects, kind: GroupVersionKind) -> Obj:
        """Return *obj* after all mutations; *obj* itself is left as it is.

        Raises:
            MutationError: One of them failed.
        """
        for patches, expression in self._mutations:
            budget = cel.Budget()
            values = self._with_variables(seen(obj), budget)
            try:
                made = _checked(expression.evaluate(values, budget=budget))
                if patches:
                    changed = _patched(obj, made, objects)
                else:
                    config = {**made, "apiVersion": kind.api_version, "kind": kind.kind}
                    changed = objects.merge(obj, config, kind)
                obj = objects.normalize(changed, kind)
            except (ExpressionError, ValueError) as error:
                raise MutationError(str(error)) from error
        return obj

    def _with_variables(self, values: dict[str, Any], budget: "Budget") -> dict[str, Any]:
        found = {**values}
        found["variables"] = Variables(
            {name: self._computed(one, found, budget) for name, one in self._variables}
        )
        return found


def _checked(made: Any) -> Any:
    for one in made if isinstance(made, list) else [made]:
        # The value of a patch operation is an object of its own: paths begin there.
        wrong = list(misnamed(one.get("value") if one.name == "JSONPatch" else one))
        if wrong:
            raise ValueError("type mismatch: " + "\n".join(wrong))
    return to_json(made)


def _patched(obj: Obj, operations: list[Any], objects: Objects) -> Obj:
    try:
        return objects.patch(obj, operations)
    except ValueError as error:
        if str(error).endswith("test failed"):  # the patch is for other objects
            return obj
        raise ValueError(f"JSON Patch: {error}") from error

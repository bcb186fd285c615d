"""CEL as admission uses it: which names there are, and errors in Kubernetes' words."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from kubewright.apiserver import cel
from kubewright.apiserver.admission.attributes import Attributes
from kubewright.apiserver.authentication.user import (
    UserInfo,
    service_account_groups,
    service_account_name,
)
from kubewright.apiserver.authorization.attributes import AccessAttributes, Authorizer
from kubewright.apiserver.cel import (
    BOOL,
    DYN,
    INT,
    STRING,
    TIMESTAMP,
    list_of,
    map_of,
    object_type,
    objects,
)
from kubewright.apiserver.cel.library import authorizer as rights
from kubewright.apiserver.registry.strategy import Obj

if TYPE_CHECKING:
    from kubewright.apiserver.cel import Budget, Program, Type

Names = Literal["condition", "policy", "message"]
"""Who evaluates: a webhook's condition, a policy, or the message of one."""

Result = Literal["bool", "string", "string or null", "Object", "list(JSONPatch)", ""]
"""The type that a value must have, empty for any; mutations make objects and patches."""

_HIDDEN = frozenset({"uid", "object", "oldObject"})


class ExpressionError(Exception):
    """An expression does not compile, or has no value; the text says which and why."""


class BudgetSpentError(ExpressionError):
    """The expressions have spent their budget."""


class Expression:
    """An expression, compiled when it is first needed.

    Args:
        source: The expression.
        declare: Returns the types of its names.
        result: The type that its value must have; any if it is empty.
    """

    __slots__ = ("_declare", "_problem", "_program", "_result", "source")

    def __init__(
        self,
        source: str,
        declare: "Callable[[], Mapping[str, Type]]",
        *,
        result: Result = "bool",
    ) -> None:
        self.source: str = source
        self._declare = declare
        self._result = result
        self._program: Program | None = None
        self._problem = ""

    @property
    def program(self) -> "Program":
        """The compiled expression.

        Raises:
            ExpressionError: It does not compile.
        """
        if (problem := self.problem) or self._program is None:
            raise ExpressionError(f"compilation error: {problem}")
        return self._program

    @property
    def problem(self) -> str:
        """Why it does not compile; empty if it does."""
        if self._program is None and not self._problem:
            self._compile()
        return self._problem

    def find_problem(self) -> str:
        """Return why it does not compile, and keep nothing else.

        Thousands of programs that nobody runs would slow the garbage collector down.
        """
        problem = self.problem
        self._program = None
        return problem

    def _compile(self) -> None:
        wanted = {
            "bool": cel.BOOL,
            "string": cel.STRING,
            "string or null": None,
            "Object": objects.OBJECT,
            "list(JSONPatch)": cel.list_of(objects.PATCH),
            "": None,
        }[self._result]
        mutates = self._result in ("Object", "list(JSONPatch)")
        try:
            program = cel.compile_rule(
                self.source, self._declare(), result=wanted, messages=mutates
            )
        except cel.ResultTypeError as error:
            self._problem = f"must evaluate to {error.wanted} but got {error.found}"
        except cel.InstantiationError as error:
            self._problem = str(error)
        except cel.CompileError as error:
            self._problem = f"compilation failed: {error}"
        else:
            if self._result == "string or null" and program.type not in (cel.STRING, cel.NULL):
                said = "must evaluate to one of [string null_type]"
                self._problem = f"{said} but got {program.type}"
            else:
                self._program = program

    def evaluate(self, values: Mapping[str, Any], *, budget: "Budget") -> Any:
        """Return the value.

        Raises:
            ExpressionError: There is none.
            BudgetSpentError: This and the expressions before it cost too much.
        """
        program = self.program
        try:
            return program.evaluate(values, budget=budget)
        except cel.BudgetError as error:
            raise BudgetSpentError(str(error)) from error
        except cel.EvaluationError as error:
            said = f"expression '{self.source}' resulted in error: {error}"
            raise ExpressionError(said) from error


@cache
def declarations(names: Names, *, params: bool = False) -> "Mapping[str, Type]":
    """Return the types of the names that an expression may use."""
    found = {
        "object": cel.DYN,
        "oldObject": cel.DYN,
        "request": _request_type(),
        "namespaceObject": _namespace_type(),
    }
    if params:
        found["params"] = cel.DYN
    if names != "message":
        found["authorizer"] = rights.AUTHORIZER
        found["authorizer.requestResource"] = rights.RESOURCE_CHECK
    return found


def _request_type() -> "Type":
    texts = list_of(STRING)
    kind = object_type(
        "kubernetes.GroupVersionKind", dict.fromkeys(("group", "version", "kind"), STRING)
    )
    resource = object_type(
        "kubernetes.GroupVersionResource", dict.fromkeys(("group", "version", "resource"), STRING)
    )
    user = {"username": STRING, "uid": STRING, "groups": texts, "extra": map_of(STRING, texts)}
    plain = ("subResource", "requestSubResource", "name", "namespace", "operation")
    return object_type(
        "kubernetes.AdmissionRequest",
        {
            **dict.fromkeys(plain, STRING),
            **dict.fromkeys(("kind", "requestKind"), kind),
            **dict.fromkeys(("resource", "requestResource"), resource),
            "userInfo": object_type("kubernetes.UserInfo", user),
            "dryRun": BOOL,
            "options": DYN,
        },
    )


def _namespace_type() -> "Type":
    texts, labels = list_of(STRING), map_of(STRING, STRING)
    condition = dict.fromkeys(("status", "type", "message", "reason"), STRING)
    metadata = {
        **dict.fromkeys(("name", "generateName", "namespace", "UID", "resourceVersion"), STRING),
        **dict.fromkeys(("labels", "annotations"), labels),
        **dict.fromkeys(("creationTimestamp", "deletionTimestamp"), TIMESTAMP),
        **dict.fromkeys(("deletionGracePeriodSeconds", "generation"), INT),
        "finalizers": texts,
    }
    conditions = list_of(
        object_type("kubernetes.NamespaceCondition", {**condition, "lastTransitionTime": TIMESTAMP})
    )
    status = {"conditions": conditions, "phase": STRING}
    return object_type(
        "kubernetes.Namespace",
        {
            "metadata": object_type("kubernetes.NamespaceMetadata", metadata),
            "spec": object_type("kubernetes.NamespaceSpec", {"finalizers": texts}),
            "status": object_type("kubernetes.NamespaceStatus", status),
        },
    )


def values(asked: Obj, attributes: Attributes, authorizer: Authorizer) -> dict[str, Any]:
    """Return what expressions see of a write.

    Args:
        asked: The ``request`` of an AdmissionReview about it.
        attributes: The write.
        authorizer: Decides what users may do.
    """

    def decide(question: rights.Question) -> rights.Decision:
        found = authorizer.authorize(_question(question, attributes.user))
        return rights.Decision(found.allowed, found.reason, found.error)

    resource = attributes.resource
    own = rights.Question(
        group=resource.group,
        resource=resource.resource,
        subresource=attributes.subresource,
        namespace=attributes.namespace,
        name=attributes.name,
    )
    return {
        "object": asked["object"],
        "oldObject": asked["oldObject"],
        "request": {key: value for key, value in asked.items() if key not in _HIDDEN},
        "authorizer": rights.Authorizer(decide),
        "authorizer.requestResource": rights.ResourceCheck(decide, own),
    }


def _question(asked: Any, user: UserInfo) -> AccessAttributes:
    if asked.service_account is not None:
        namespace, name = asked.service_account
        groups = (*service_account_groups(namespace), "system:authenticated")
        user = UserInfo(service_account_name(namespace, name), groups=groups)
    if asked.path:
        return AccessAttributes(user, asked.verb, path=asked.path, is_resource=False)
    return AccessAttributes(
        user,
        asked.verb,
        asked.group,
        "*",
        asked.resource,
        asked.subresource,
        asked.name,
        asked.namespace,
    )

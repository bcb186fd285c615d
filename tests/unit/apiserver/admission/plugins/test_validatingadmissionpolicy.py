import json
from typing import Any

import pytest

from kubewright.apiserver.admission.attributes import Attributes
from kubewright.apiserver.admission.plugins.validatingadmissionpolicy import (
    BINDINGS,
    POLICIES,
    ValidatingPolicies,
)
from kubewright.apiserver.authorization.rbac import RBAC
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.meta.status import StatusError
from tests.unit.apiserver.admission.writes import PlainObjects, config_map, store, write
from tests.unit.apiserver.authorization import roles

Obj = dict[str, Any]
LIMITS = GroupResource("example.com", "limits")
RULE = {"operations": ["*"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"]}


class World:
    """Policies with their bindings, and somebody who may get pods."""

    def __init__(self) -> None:
        self.reader = store()
        given = roles.role("r", roles.rule("get", "pods"))
        rights = roles.store(given, roles.binding("b", "ClusterRole r", "User ann"))
        self.policies = ValidatingPolicies(
            self.reader, PlainObjects(), authorizer=RBAC(rights), find_kind=self.find_kind
        )
        self.warnings: list[str] = []

    @staticmethod
    def find_kind(version: str, kind: str) -> tuple[GroupResource, bool] | None:
        return (LIMITS, True) if (version, kind) == ("example.com/v1", "Limit") else None

    def add(self, *expressions: str | Obj, **spec: Any) -> None:
        validations = [{"expression": e} if isinstance(e, str) else e for e in expressions]
        spec = {
            "matchConstraints": {"resourceRules": [RULE]},
            "validations": validations,
            **spec,
        }
        self.reader.put(POLICIES, {"metadata": {"name": "p"}, "spec": spec})
        if not list(self.reader.list(BINDINGS)):
            self.bind()

    def bind(self, name: str = "b", *actions: str, **spec: Any) -> None:
        found = {"policyName": "p", "validationActions": list(actions or ("Deny",)), **spec}
        self.reader.put(BINDINGS, {"metadata": {"name": name}, "spec": found})

    async def ask(self, **parts: Any) -> Attributes:
        attributes = write(warn=self.warnings.append, **parts)
        await self.policies.validate(attributes)
        return attributes

    async def refusal(self, **parts: Any) -> StatusError:
        with pytest.raises(StatusError) as caught:
            await self.ask(**parts)
        return caught.value

    async def failure(self, **parts: Any) -> str:
        """Return what stands behind who refused."""
        return (await self.refusal(**parts)).message.partition("denied request: ")[2]


@pytest.fixture
def world() -> World:
    return World()


async def test_a_refusal_names_policy_and_binding(world: World) -> None:
    """Also as a cause; the code is that of an invalid object."""
    world.add("object.metadata.name != 'x'")

    error = await world.refusal()

    message = (
        "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: failed expression:"
        " object.metadata.name != 'x'"
    )
    assert (error.code, error.reason) == (422, "Invalid")
    assert error.message == f'configmaps "x" is forbidden: {message}'
    assert error.details["causes"] == [{"message": message}]


@pytest.mark.parametrize(
    ("validation", "said", "code"),
    [
        ({"message": "no ", "reason": "Forbidden"}, "no", 403),
        ({"messageExpression": "'not ' + object.metadata.name"}, "not x", 422),
        ({"messageExpression": "'a\\nb'", "message": "one line"}, "one line", 422),
        ({"messageExpression": "object.nix", "message": "plain"}, "plain", 422),
        ({"messageExpression": "string(object.nix)"}, "failed expression: 1 == 2", 422),
    ],
)
async def test_the_message_is_the_best_that_there_is(
    world: World, validation: Obj, said: str, code: int
) -> None:
    """An expression that fails, or says too much, leaves the plain message."""
    world.add({"expression": "1 == 2", **validation})

    error = await world.refusal()

    assert error.message.endswith(f"denied request: {said}")
    assert error.code == code


@pytest.mark.parametrize(
    "expression",
    [
        "object.metadata.name == 'x' && oldObject == null",
        "request.operation == 'CREATE' && request.userInfo.groups == ['dev']",
        "request.resource.resource == 'configmaps' && !has(request.subResource)",
        "namespaceObject.metadata.labels.team == 'a'",
        "authorizer.group('').resource('pods').check('get').allowed()",
        "!authorizer.requestResource.check('create').allowed()",
        "!authorizer.serviceAccount('shop', 'bot').path('/x').check('get').allowed()",
        "variables.name == 'x!' && variables.twice == 'x!x!'",
        "true || variables.bad",
    ],
)
async def test_expressions_see_all_there_is_about_a_write(world: World, expression: str) -> None:
    """Variables build on one another, and one that nobody uses does no harm."""
    variables = [
        {"name": "name", "expression": "object.metadata.name + '!'"},
        {"name": "twice", "expression": "variables.name + variables.name"},
        {"name": "bad", "expression": "object.nix.nix == 1"},
    ]
    world.add(expression, variables=variables)

    await world.ask()


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        (
            "object.nix == 1",
            "expression 'object.nix == 1' resulted in error: no such key: nix",
        ),
        ("object.nix", "compilation error: must evaluate to bool but got dyn"),
        ("1 +", "compilation error: compilation failed: ERROR: <input>:1:4: Syntax error"),
        ("variables.x == 1", "compilation error: compilation failed: ERROR: <input>:1:10:"),
    ],
)
async def test_an_expression_that_fails_refuses_unless_that_is_tolerated(
    world: World, expression: str, said: str
) -> None:
    """A policy that cannot be checked is not met."""
    world.add(expression)
    assert (await world.failure()).startswith(said)

    world.add(expression, failurePolicy="Ignore")

    await world.ask()


async def test_conditions_say_whether_a_policy_applies(world: World) -> None:
    """One that is false decides even if another fails."""
    conditions = [
        {"name": "broken", "expression": "object.nix == 1"},
        {"name": "other", "expression": "object.metadata.name == 'other'"},
    ]
    world.add("false", matchConditions=conditions)

    await world.ask()

    assert "no such key: nix" in await world.failure(object=config_map("other"))


async def test_without_a_binding_a_policy_does_nothing(world: World) -> None:
    """A binding can narrow it further."""
    world.add("false")
    world.bind(matchResources={"objectSelector": {"matchLabels": {"a": "b"}}})

    await world.ask()
    assert await world.failure(object=config_map(a="b"))

    world.reader.delete(BINDINGS, "b")
    await world.ask(object=config_map(a="b"))


async def test_a_binding_can_warn_and_note_instead(world: World) -> None:
    """So that a policy can be tried out."""
    world.add({"expression": "true"}, {"expression": "false", "message": "no"})
    world.bind("b", "Warn", "Audit")

    attributes = await world.ask()

    assert world.warnings == [
        "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': no"
    ]
    note = attributes.annotations["validation.policy.admission.k8s.io/validation_failure"]
    assert json.loads(note) == [
        {
            "message": "no",
            "policy": "p",
            "binding": "b",
            "expressionIndex": 1,
            "validationActions": ["Warn", "Audit"],
        }
    ]


async def test_annotations_are_noted_for_the_audit_log(world: World) -> None:
    """Null is none, and a value that is no text refuses the write."""
    world.add(
        auditAnnotations=[
            {"key": "name", "valueExpression": "string(object.metadata.name)"},
            {"key": "none", "valueExpression": "null"},
        ]
    )

    assert (await world.ask()).annotations == {"p/name": "x"}

    world.add(auditAnnotations=[{"key": "bad", "valueExpression": "1"}])
    assert (await world.failure()).endswith(
        "must evaluate to one of [string null_type] but got int"
    )


class TestParameters:
    """Objects that a binding gives to its policy."""

    KIND = {"apiVersion": "example.com/v1", "kind": "Limit"}

    @pytest.fixture(autouse=True)
    def _limits(self, world: World) -> None:
        for name, most in (("low", 1), ("high", 5)):
            metadata = {"name": name, "namespace": "shop", "labels": {"kind": "limit"}}
            world.reader.put(LIMITS, {"metadata": metadata, "most": most})
        world.add("params == null || params.most > 3", paramKind=self.KIND)

    async def test_one_is_chosen_by_name(self, world: World) -> None:
        """In the namespace of the write."""
        world.bind(paramRef={"name": "high"})
        await world.ask()

        world.bind(paramRef={"name": "low"})
        assert await world.failure()

    async def test_several_are_chosen_by_labels_and_all_count(self, world: World) -> None:
        """The write must be as each of them wants it."""
        world.bind(paramRef={"selector": {"matchLabels": {"kind": "limit"}}})

        assert await world.failure()

    async def test_what_is_missing_is_allowed_or_denied_as_the_binding_says(
        self, world: World
    ) -> None:
        """A binding without parameters asks once, without."""
        world.bind(paramRef={"name": "nix", "parameterNotFoundAction": "Allow"})
        await world.ask()

        world.bind(paramRef={"name": "nix", "parameterNotFoundAction": "Deny"})
        assert await world.failure() == (
            "failed to configure binding: no params found for policy binding with `Deny`"
            " parameterNotFoundAction"
        )
        world.bind()
        await world.ask()

    async def test_an_unknown_kind_refuses(self, world: World) -> None:
        """The CRD may be gone."""
        world.add("true", paramKind={"apiVersion": "example.com/v1", "kind": "Nix"})

        error = await world.refusal()

        assert error.message.endswith(
            "ValidatingAdmissionPolicy 'p' denied request: failed to configure policy: failed to"
            " find resource referenced by paramKind: 'example.com/v1, Kind=Nix'"
        )

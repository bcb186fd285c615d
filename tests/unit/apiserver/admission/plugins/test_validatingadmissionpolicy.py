import json

import pytest

from kubewright.apiserver.admission.plugins.validatingadmissionpolicy import (
    BINDINGS,
)
from tests.unit.apiserver.admission.policy_world import World
from tests.unit.apiserver.admission.writes import Obj, config_map


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

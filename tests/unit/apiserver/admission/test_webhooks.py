import re
from typing import Any

import pytest

from kubewright.apiserver.admission.attributes import GroupVersionKind
from tests.unit.apiserver.admission.webhook_server import (
    Behaviour,
    Raw,
    allow,
    patch,
)
from tests.unit.apiserver.admission.webhook_world import FAILED, RULE, World, deny
from tests.unit.apiserver.admission.writes import config_map

Obj = dict[str, Any]


async def test_a_webhook_is_asked_as_kubernetes_asks(world: World) -> None:
    """Operators are written against this form."""
    world.add(allow, timeoutSeconds=3)

    await world.admit()

    review, kind = world.server.requests[0], {"group": "", "version": "v1", "kind": "ConfigMap"}
    resource = {"group": "", "version": "v1", "resource": "configmaps"}
    assert world.server.paths == ["/h?timeout=3s"]
    assert (review["kind"], review["apiVersion"]) == ("AdmissionReview", "admission.k8s.io/v1")
    assert len(review["request"].pop("uid")) == 36
    assert review["request"] == {
        "kind": kind,
        "resource": resource,
        "requestKind": kind,
        "requestResource": resource,
        "name": "x",
        "namespace": "shop",
        "operation": "CREATE",
        "userInfo": {"username": "ann", "groups": ["dev"]},
        "object": config_map(),
        "oldObject": None,
        "dryRun": False,
        "options": {"kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1"},
    }


@pytest.mark.parametrize(
    ("status", "code", "reason", "message"),
    [
        (
            {"message": "not today", "code": 418, "reason": "Teapot"},
            418,
            "Teapot",
            'admission webhook "h" denied the request: not today',
        ),
        ({}, 400, "", 'admission webhook "h" denied the request without explanation'),
        (
            {"reason": "Forbidden", "code": 200},
            400,
            "Forbidden",
            'admission webhook "h" denied the request: Forbidden',
        ),
    ],
)
async def test_a_refusal_is_the_webhooks_own(
    world: World, status: Obj, code: int, reason: str, message: str
) -> None:
    """Its code, reason and words, and who it was."""
    world.add(deny(**status))

    error = await world.refusal()

    assert (error.code, error.reason, error.message) == (code, reason, message)


@pytest.mark.parametrize(
    ("behaviour", "said"),
    [
        (
            lambda request: {"allowed": True, "uid": "x"},
            r'received invalid webhook response: expected response.uid="[-0-9a-f]{36}", got "x"',
        ),
        (
            lambda request: {"whole": {"response": {"allowed": True, "uid": request["uid"]}}},
            (
                "received invalid webhook response: expected webhook response of"
                " admission.k8s.io/v1, Kind=AdmissionReview, got /, Kind="
            ),
        ),
        (
            lambda request: {"whole": {"a": 1}},
            "received invalid webhook response: webhook response was absent",
        ),
        (
            patch({"op": "add", "path": "/a", "value": 1}),
            "received invalid webhook response: validating webhook may not return response.patch",
        ),
        (
            lambda request: {"whole": {"apiVersion": "admission.k8s.io/v1beta1"}},
            (
                r"failed to call webhook: converting \(v1beta1.AdmissionReview\) to"
                r" \(v1.AdmissionReview\): unknown conversion"
            ),
        ),
        (
            lambda request: Raw(500, "boom"),
            (
                r'failed to call webhook: an error on the server \("boom"\) has prevented the'
                " request from succeeding"
            ),
        ),
        (
            lambda request: Raw(302),
            (
                "failed to call webhook: the server responded with the status code 302 but did not"
                " return more information"
            ),
        ),
        (
            lambda request: Raw(None),
            r'failed to call webhook: Post "https://.*/h\?timeout=10s": EOF',
        ),
    ],
)
async def test_a_webhook_that_fails_fails_the_write(
    world: World, behaviour: Behaviour, said: str
) -> None:
    """With the real server's words, unless its policy lets the write pass."""
    world.add(behaviour)
    error = await world.refusal()
    assert error.code == 500
    assert re.fullmatch(re.escape(FAILED) + said, error.message)

    world.add(behaviour, failurePolicy="Ignore")

    await world.admit()


async def test_a_refusal_is_never_ignored(world: World) -> None:
    """The policy is about failures, and a refusal is none."""
    world.add(deny(message="no"), failurePolicy="Ignore")

    assert (await world.refusal()).message.endswith("denied the request: no")


async def test_a_dry_run_calls_only_those_without_side_effects(world: World) -> None:
    """The failure policy does not help: it would have effects."""
    world.add(allow, sideEffects="Some", failurePolicy="Ignore")

    error = await world.refusal(dry_run=True)

    assert (error.code, error.message) == (
        400,
        'admission webhook "h" does not support dry run',
    )
    world.add(allow, sideEffects="NoneOnDryRun")
    await world.admit(dry_run=True)
    assert world.server.requests[0]["request"]["dryRun"] is True


async def test_warnings_and_annotations_reach_client_and_audit(world: World) -> None:
    """Keys of annotations begin with the webhook's name."""
    world.add(
        lambda request: {
            "allowed": True,
            "warnings": ["careful"],
            "auditAnnotations": {"seen": "yes"},
        }
    )
    warnings: list[str] = []

    attributes = await world.admit(warn=warnings.append)

    assert warnings == ["careful"]
    assert attributes.annotations == {"h/seen": "yes"}


async def test_an_old_webhook_is_asked_in_its_version(world: World) -> None:
    """v1beta1 needs neither its uid back nor a patch type."""
    world.add(
        lambda request: {"allowed": True, "uid": "", "patch": "W10="},
        mutating=True,
        admissionReviewVersions=["v0", "v1beta1"],
    )

    await world.admit()

    assert world.server.requests[0]["apiVersion"] == "admission.k8s.io/v1beta1"


async def test_a_webhook_of_unknown_versions_cannot_be_asked(world: World) -> None:
    """It is told which ones there are."""
    world.add(allow, admissionReviewVersions=["v9"])

    assert (await world.refusal()).message == (
        f"{FAILED}could not create admission objects: webhook does not accept known"
        " AdmissionReview versions (v1, v1beta1)"
    )


async def test_configurations_are_not_shown_to_webhooks(world: World) -> None:
    """Else nobody could remove one that refuses everything."""
    world.add(deny(), rules=[{**RULE, "apiGroups": ["*"], "resources": ["*"]}])
    kind = GroupVersionKind("admissionregistration.k8s.io", "v1", "ValidatingWebhookConfiguration")

    await world.admit(kind=kind)

    assert world.server.requests == []


async def test_conditions_decide_before_the_call(world: World) -> None:
    """One that fails refuses the write as forbidden."""
    leases = {"name": "no-leases", "expression": "request.resource.resource != 'configmaps'"}
    world.add(deny(), matchConditions=[leases])
    await world.admit()
    assert world.server.requests == []

    world.add(deny(), matchConditions=[{"name": "broken", "expression": "object.nix == 1"}])

    error = await world.refusal()
    assert (error.code, error.message) == (
        403,
        (
            "configmaps \"x\" is forbidden: expression 'object.nix == 1' resulted in error: no such"
            " key: nix"
        ),
    )

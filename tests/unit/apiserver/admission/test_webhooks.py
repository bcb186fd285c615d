import asyncio
import re
from collections.abc import AsyncIterator
from typing import Any

import pytest

from kubewright.apiserver.admission.attributes import Attributes, GroupVersionKind
from kubewright.apiserver.admission.chain import Admission
from kubewright.apiserver.admission.configuration import MUTATING, VALIDATING
from kubewright.apiserver.admission.webhook_client import ClusterIPResolver, WebhookClient
from kubewright.apiserver.meta.status import StatusError
from tests.unit.apiserver.admission.webhook_server import (
    Behaviour,
    Raw,
    WebhookServer,
    allow,
    patch,
    webhook_server,
)
from tests.unit.apiserver.admission.writes import PlainObjects, config_map, store, write

Obj = dict[str, Any]
RULE = {"operations": ["*"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"]}
FAILED = 'Internal error occurred: failed calling webhook "h": '


class World:
    """A server of webhooks, and the admission that calls them."""

    def __init__(self, server: WebhookServer) -> None:
        self.server = server
        self.reader = store()
        self.client = WebhookClient(ClusterIPResolver(self.reader))
        self.admission = Admission(self.reader, PlainObjects(), lambda: self.client)

    def add(self, behaviour: Behaviour, name: str = "h", **parts: Any) -> None:
        """Register a webhook, validating unless ``mutating`` says otherwise."""
        resource = MUTATING if parts.pop("mutating", False) else VALIDATING
        hook = {
            "name": name,
            "clientConfig": self.server.serve(name, behaviour),
            "rules": [RULE],
            "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
            **parts,
        }
        self.reader.put(resource, {"metadata": {"name": name}, "webhooks": [hook]})

    async def admit(self, **parts: Any) -> Attributes:
        attributes = write(**parts)
        await self.admission.mutate(attributes)
        await self.admission.validate(attributes)
        return attributes

    async def refusal(self, **parts: Any) -> StatusError:
        with pytest.raises(StatusError) as caught:
            await self.admit(**parts)
        return caught.value


@pytest.fixture
async def world() -> AsyncIterator[World]:
    async with webhook_server() as server:
        found = World(server)
        yield found
        await found.client.close()


def deny(**status: Any) -> Behaviour:
    return lambda request: {"allowed": False, "status": status}


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


async def test_validating_webhooks_run_at_once_and_the_first_refusal_counts(world: World) -> None:
    """Each waits until the others are asked, which would never end if they came in turn."""
    meeting = asyncio.Barrier(3)
    talk = world.server._answer

    async def meet(reader: Any, writer: Any) -> bool:
        await asyncio.wait_for(meeting.wait(), 5)
        return await talk(reader, writer)

    world.server._answer = meet  # type: ignore[method-assign]  # the server is the test's own
    world.add(allow, "a")
    world.add(deny(message="b says no"), "b")
    world.add(deny(message="c says no"), "c")

    assert (await world.refusal()).message.endswith("b says no")


async def test_mutating_webhooks_build_on_one_another(world: World) -> None:
    """In the order of their configurations' names; what nobody knows is cut off."""
    world.add(patch({"op": "add", "path": "/data", "value": {"a": "b"}}), "one", mutating=True)
    world.add(patch({"op": "add", "path": "/unknown", "value": 1}), "two", mutating=True)

    attributes = await world.admit()

    assert attributes.object == {**config_map(), "data": {"a": "b"}}
    assert world.server.requests[1]["request"]["object"]["data"] == {"a": "b"}


async def test_who_wants_is_asked_again_when_others_have_changed_the_object(world: World) -> None:
    """Once, and only those who came before the change."""
    world.add(allow, "a", mutating=True, reinvocationPolicy="IfNeeded")
    world.add(allow, "b", mutating=True)
    world.add(
        patch({"op": "add", "path": "/data", "value": {}}),
        "c",
        mutating=True,
        reinvocationPolicy="IfNeeded",
    )

    await world.admit()

    assert [path[1] for path in world.server.paths] == ["a", "b", "c", "a"]


async def test_a_webhook_sees_and_changes_the_version_of_its_rule(world: World) -> None:
    """The object comes back in the version in which the client wrote."""
    rule = {**RULE, "apiVersions": ["v2"]}
    world.add(patch({"op": "add", "path": "/data", "value": {}}), mutating=True, rules=[rule])

    attributes = await world.admit()

    asked = world.server.requests[0]["request"]
    assert asked["object"]["apiVersion"] == "v2"
    assert asked["kind"]["version"] == "v2"
    assert asked["requestKind"]["version"] == "v1"
    assert attributes.object == {**config_map(), "data": {}}


@pytest.mark.parametrize(
    ("behaviour", "said"),
    [
        (
            patch({"op": "remove", "path": "/nix"}),
            "Internal error occurred: the patch does not fit",
        ),
        (
            lambda request: {"allowed": True, "patch": "W10="},
            (
                f"{FAILED}received invalid webhook response: webhook returned response.patch but"
                " not response.patchType"
            ),
        ),
        (
            lambda request: {"allowed": True, "patchType": "Merge", "patch": "W10="},
            f'{FAILED}unsupported patch type "Merge"',
        ),
        (
            lambda request: {"allowed": True, "patchType": "JSONPatch", "patch": "e30="},
            (
                f"{FAILED}received undecodable patch in webhook response: json: cannot unmarshal"
                " object into Go value of type jsonpatch.Patch"
            ),
        ),
    ],
)
async def test_a_patch_that_cannot_be_applied_fails_the_write(
    world: World, behaviour: Behaviour, said: str
) -> None:
    """Half of what a webhook wanted is worse than nothing."""
    world.add(behaviour, mutating=True)

    assert (await world.refusal()).message == said


async def test_a_patch_of_null_is_no_patch(world: World) -> None:
    """Everything built on Knative's library sends it when there is nothing to change."""
    no_patch = {"allowed": True, "patchType": "JSONPatch", "patch": "bnVsbA=="}
    world.add(lambda request: no_patch, mutating=True)

    attributes = await world.admit()

    assert attributes.object == config_map()


async def test_a_deletion_cannot_be_changed(world: World) -> None:
    """There is no object to change."""
    world.add(patch({"op": "add", "path": "/a", "value": 1}), mutating=True)

    error = await world.refusal(operation="DELETE", old_object=config_map())

    assert error.message == (
        'Internal error occurred: admission webhook "h" attempted to modify the object, which is'
        " not supported for this operation"
    )


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

from datetime import datetime
from typing import Any

import msgspec
import pytest

import kubewright as kw
from kubewright.api.meta import ManagedFieldsEntry
from kubewright.api.unstructured import Unstructured
from kubewright.application.diagnosis import Check, Finding, Patient, examine
from kubewright.application.diagnosis.failure import Failure
from kubewright.application.diagnosis.failures import State, is_over, judge, look
from kubewright.client import Client
from kubewright.crd import from_yaml
from kubewright.kinds.core.v1 import ConfigMap, Namespace, Secret, ServiceAccount
from kubewright.testing import EmbeddedServer, operator_test
from tests.unit.application.diagnosis.failing import FORBIDDEN, event, failures, only, operator
from tests.unit.application.diagnosis.ward import NOW, installed, told

GRANT = """\
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: secrets}
rules: [{apiGroups: [""], resources: [secrets], verbs: [create, patch]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: secrets}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: secrets}
subjects: [{kind: ServiceAccount, name: shop, namespace: shops}]
"""
VIEW = """\
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: view, namespace: shops}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}
subjects: [{kind: User, name: viewer, apiGroup: rbac.authorization.k8s.io}]
"""
RUNNING = """{containerStatuses: [{name: manager, image: a, imageID: a, ready: true,
  restartCount: 0, state: {running: {startedAt: %s}}}]}"""


def patient(client: Client | None = None, **more: Any) -> Patient:
    """Return an operator in a cluster where it is noon."""

    class AtNoon(Patient):
        @property
        def now(self) -> datetime:
            return NOW

    made_: Any = client
    return AtNoon(made_, **{"operator": operator(), "installation": installed(), **more})


def meta(**more: Any) -> kw.ObjectMeta:
    """Return the metadata of the object that fails."""
    return kw.ObjectMeta(name="a", namespace="x", uid="u1", **more)


def judged(failure: Failure, state: State | None = None, **more: Any) -> list[Finding]:
    """Return what is reported of *failure*."""
    return list(judge([(failure, state or State(meta()))], patient(**more)))


def test_a_failure_is_an_error_with_its_message() -> None:
    """To say "nothing is wrong" while every reconcile fails sends people astray."""
    (found,) = judged(only(event()))

    assert told([found]) == [("error", "configmaps/a in namespace x")]
    assert "no money" in found.what
    assert found.mend == (
        "kubectl describe configmaps a --namespace x",
        "kubectl logs deployment/shop --namespace shops --tail 50",
    )


def test_a_right_that_nobody_declares_is_told_as_a_rule() -> None:
    """The code has to say it: what is granted by hand is gone after the next deployment."""
    (found,) = judged(only(event(FORBIDDEN)))

    assert found.what.splitlines()[2:] == [
        "Nothing declares this right:",
        "  # in a ClusterRole:",
        '  - apiGroups: [""]',
        '    resources: ["secrets"]',
        '    verbs: ["create", "patch"]',
    ]
    assert found.mend[1:] == (
        "kubewright rbac audit --fix",
        "kubewright manifests",
        "kubewright deploy",
    )


def test_an_operator_of_one_namespace_gets_the_rule_there() -> None:
    """More than it needs is more than it may have."""
    place = installed(flags="--namespace=x")

    (found,) = judged(only(event(FORBIDDEN)), installation=place)

    assert "  # in a Role in the namespace x:" in found.what


def test_a_right_that_is_declared_goes_with_the_account_that_lacks_it() -> None:
    """It is one fault, and the check of the rights mends it."""
    (found,) = judged(only(event(FORBIDDEN)), State(meta(), declared=True))

    assert found.causes == ("serviceaccount/shop in namespace shops",)
    assert found.mend == ("kubewright deploy",)


def test_objects_that_fail_for_one_cause_are_told_together() -> None:
    """A missing right fails on all objects, and there may be thousands."""
    both = failures(event(FORBIDDEN), event(FORBIDDEN.replace("'a'", "'b'"), name="b"))

    (found,) = judge([(one, State(meta())) for one in both], patient())

    assert found.why.startswith("The same happens to 1 more. ")


def test_silence_is_a_hint() -> None:
    """It works again, or the operator has given up: a fault would be said of what is mended."""
    once = "2026-11-01T11:50:00Z"

    (found,) = judged(only(event(first=once, last=once)))

    assert told([found]) == [("info", "configmaps/a in namespace x")]
    assert "failed on it 10 minutes ago, and has not said so again" in found.what


def test_a_right_that_is_still_missing_is_a_fault_however_long_ago_it_was() -> None:
    """The server says so itself."""
    once = "2026-11-01T11:30:00Z"

    (found,) = judged(only(event(FORBIDDEN, first=once, last=once)), State(meta(), False))

    assert found.severity == "error"


def written(manager: str, at: str, *fields: str) -> kw.ObjectMeta:
    """Return the metadata of an object whose *fields* were written by *manager*."""
    tree = msgspec.Raw(msgspec.json.encode({name: {} for name in fields}))
    time = datetime.fromisoformat(at)
    return meta(managed_fields=[ManagedFieldsEntry(manager=manager, time=time, fields_v1=tree)])


@pytest.mark.parametrize(
    ("state", "over"),
    [
        (State(), True),
        (State(kw.ObjectMeta(name="a", uid="u2")), True),
        (State(meta()), False),
        (State(meta(), granted=True), True),
        (State(meta(), granted=False), False),
        (State(written("shop", "2026-11-01T11:59:10Z")), True),
        (State(written("shop", "2026-11-01T11:59:00Z")), False),
        (State(written("kubectl", "2026-11-01T11:59:10Z", "f:metadata")), False),
        (State(written("kubectl", "2026-11-01T11:59:10Z", "f:metadata", "f:spec")), True),
        (State(written("kubectl", "2026-11-01T11:59:00Z", "f:spec")), False),
        (State(written("kubectl", "2026-11-01T11:59:10Z", "f:spec"), shared=True), True),
        (State(written("kubectl", "2026-11-01T11:59:10Z", "f:spec"), granted=False), False),
        (State(written("shop", "2026-11-01T11:59:10Z"), shared=True), False),
        (State(written("shop", "2026-11-01T11:59:10Z"), granted=False), False),
    ],
)
def test_what_works_again_is_not_told(state: State, over: bool) -> None:
    """Gone, made anew, changed, allowed by now, or written after a run that did not fail."""
    assert is_over(only(event()), state, patient()) is over


@pytest.mark.parametrize(("started", "over"), [("11:59:30", True), ("11:58:30", False)])
def test_a_new_process_says_anew_what_fails(started: str, over: bool) -> None:
    """It reconciles all objects first; what an older one said is over."""
    place = installed(pods=RUNNING % f"2026-11-01T{started}Z")

    assert is_over(only(event()), State(meta()), patient(installation=place)) is over


async def tell(client: Client, *, namespace: str, message: str) -> None:
    """Make an object and an event as the operator would."""
    await client.create(Namespace(metadata=kw.ObjectMeta(name=namespace)))
    one = ConfigMap(metadata=kw.ObjectMeta(name="a", namespace=namespace))
    created = await client.create(one)
    said = event(message, namespace=namespace, uid=created.metadata.uid or "")
    await client.create(said)


async def test_events_of_all_namespaces_are_read_and_rights_are_asked_for() -> None:
    """They are in the namespaces of the objects, and not in that of the operator."""
    async with EmbeddedServer() as server, server.client() as client:
        await tell(client, namespace="x", message=FORBIDDEN)
        await client.create(Namespace(metadata=kw.ObjectMeta(name="shops")))
        account = ServiceAccount(metadata=kw.ObjectMeta(name="shop", namespace="shops"))
        await client.create(account)

        before = [one async for one in look(patient(client))]
        for one in from_yaml(GRANT):
            await client.create(Unstructured(one))
        after = [one async for one in look(patient(client))]

    assert told(before) == [("error", "configmaps/a in namespace x")]
    assert told(after) == [("fine", "")]


async def test_what_a_running_operator_says_is_understood() -> None:
    """Its words are made in another layer, and must not drift away from how they are read."""
    curious = kw.Operator("curious")

    @curious.reconciler(ConfigMap)
    async def reconcile(one: ConfigMap, ctx: kw.Context) -> None:
        await ctx.client.get(Secret, "password")

    async with operator_test(curious, rbac=True) as test:
        await test.client.create(ConfigMap(metadata=kw.ObjectMeta(name="a")))
        await test.advance(1)
        found = [one async for one in look(Patient(test.client, operator=curious))]

    assert told(found) == [("error", "configmaps/a in namespace default")]
    assert '  - apiGroups: [""]\n    resources: ["secrets"]\n    verbs: ["get"]' in found[0].what


async def test_who_may_not_see_all_namespaces_sees_those_of_the_operator() -> None:
    """And is told that there may be more."""
    async with EmbeddedServer() as server, server.client() as client:
        await tell(client, namespace="shops", message="no money")
        await tell(client, namespace="x", message="no money")
        for one in from_yaml(VIEW):
            await client.create(Unstructured(one))
        async with server.client(server.add_user("viewer")) as viewer:
            found = await examine(patient(viewer), [Check("reconciles", look)])

    assert told([*found.findings]) == [
        ("error", "configmaps/a in namespace shops"),
        ("info", "check reconciles"),
    ]
    assert "you may not list events" in found.findings[1].what

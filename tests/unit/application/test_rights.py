"""The rights that an operator needs, and those that it lacks."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

import kubewright as kw
from kubewright._aio import VirtualClock
from kubewright.api.requests import Request
from kubewright.application.rights import missing_rights, rules_of, text_of
from kubewright.client.transport import Response
from kubewright.crd import PolicyRule, from_yaml, roles, rules_for
from kubewright.kinds.core.v1 import ConfigMap, Event, Namespace, Secret
from kubewright.testing import EmbeddedServer, User
from kubewright.testing.faults import Fault, Hanging, NextFaults, Refused, Unreachable
from tests.unit.operator.world import Mall, Shop, config, shop, world

READ = ("get", "list", "watch")
CHILD = ("create", "delete", "get", "list", "patch", "watch")
EVENT = ("create", "patch")


async def nothing(obj: Any, ctx: kw.Context) -> None:
    """Do nothing."""


def operator_of(kind: Any, *, cleanup: bool = False, **options: Any) -> kw.Operator:
    operator = kw.Operator("test")
    operator.reconciler(kind, **options)(nothing)
    if cleanup:
        operator.cleanup(kind)(nothing)
    return operator


def rule(group: str, resource: str, *verbs: str, namespace: str = "") -> PolicyRule:
    return PolicyRule(groups=(group,), resources=(resource,), verbs=verbs, namespace=namespace)


# --- What is needed ---


def test_a_kind_is_read_and_its_status_and_events_are_written() -> None:
    """The least that a reconciler of a custom kind does."""
    assert operator_of(Shop).rules() == [
        rule("", "events", *EVENT),
        rule("example.com", "shops", *READ),
        rule("example.com", "shops/status", "patch"),
    ]


def test_a_status_without_a_subresource_is_a_part_of_the_object() -> None:
    """So the right is one on the object."""

    @kw.resource(group="example.com", version="v1", status_subresource=False)
    class Whole(kw.Resource):
        status: dict[str, str] = {}

    assert rule("example.com", "wholes", *READ[:2], "patch", "watch") in operator_of(Whole).rules()


def test_a_kind_without_a_status_needs_no_right_to_write_one() -> None:
    """The server would not even know such a subresource."""
    assert operator_of(ConfigMap).rules() == [
        rule("", "configmaps", *READ),
        rule("", "events", *EVENT),
    ]


def test_a_cleanup_patches_the_object_for_its_finalizer() -> None:
    """Finalizers stand in the metadata of the object itself."""
    rules = operator_of(Shop, cleanup=True).rules()

    assert rule("example.com", "shops", "get", "list", "patch", "watch") in rules


def test_a_status_that_is_not_written_needs_no_right() -> None:
    """The status of a pod belongs to its kubelet."""
    rules = operator_of(kw.For(Shop, writes_status=False)).rules()

    assert rules == [rule("", "events", *EVENT), rule("example.com", "shops", *READ)]


def test_a_child_gives_the_rights_that_are_declared() -> None:
    """Who never deletes children need not be able to."""
    rules = operator_of(Shop, owns=[kw.Owns(ConfigMap, verbs=["create"])]).rules()

    assert rule("", "configmaps", "create", *READ) in rules


def test_owned_kinds_are_applied_and_deleted_and_watched_ones_only_read() -> None:
    """To own a kind also means to keep the owner from going before its children."""
    watched = kw.Watches(Secret, map=lambda _: [])

    rules = operator_of(Shop, owns=[ConfigMap], watches=[watched]).rules()

    assert rules == [
        rule("", "configmaps", *CHILD),
        rule("", "events", *EVENT),
        rule("", "secrets", *READ),
        rule("example.com", "shops", *READ),
        rule("example.com", "shops/finalizers", "update"),
        rule("example.com", "shops/status", "patch"),
    ]


def test_a_kind_that_is_only_indexed_is_read() -> None:
    """An index keeps an informer of its own, if nothing else watches the kind."""
    operator = operator_of(Shop)
    operator.index(Secret, "size", lambda _: [])

    assert rule("", "secrets", *READ) in operator.rules()


def test_resources_with_the_same_verbs_share_a_rule() -> None:
    """A role is read by people."""
    rules = operator_of(Shop, owns=[ConfigMap, Secret]).rules()

    assert PolicyRule(groups=("",), resources=("configmaps", "secrets"), verbs=CHILD) in rules


def test_each_namespace_gets_a_role_and_cluster_kinds_a_cluster_role() -> None:
    """A Role cannot give rights to what is in no namespace."""
    watched = kw.Watches(Namespace, map=lambda _: [])
    rules = operator_of(Shop, watches=[watched]).rules(namespaces=["town", "shop"])

    made = roles("test", rules)

    where = [(one["kind"], one["metadata"].get("namespace")) for one in made]
    assert where == [("ClusterRole", None), ("Role", "shop"), ("Role", "town")]
    assert made[0]["rules"] == [rule("", "namespaces", *READ).document()]
    assert made[1]["rules"] == made[2]["rules"]


def test_namespaces_of_a_watch_count_for_its_kind_alone() -> None:
    """It looks there whatever the rest of the operator looks at."""
    watched = kw.Watches(Secret, map=lambda _: [], namespaces=["vault"])

    rules = operator_of(Shop, watches=[watched]).rules(namespaces=["shop"])

    about_secrets = [one for one in rules if "secrets" in one.resources]
    assert about_secrets == [rule("", "secrets", *READ, namespace="vault")]


def test_events_about_cluster_kinds_are_in_the_default_namespace() -> None:
    """An Event is always in a namespace, also one about an object that is not."""
    rules = operator_of(Mall).rules(namespaces=["shop"])

    assert {one.namespace for one in rules if one.resources == ("events",)} == {"default", "shop"}


def test_secure_metrics_ask_about_their_callers() -> None:
    """In a ClusterRole, also of an operator with a few namespaces: reviews have none."""
    rules = operator_of(Shop).rules(namespaces=["shop"], metrics_secure=True)

    assert [one for one in rules if not one.namespace] == [
        rule("authentication.k8s.io", "tokenreviews", "create"),
        rule("authorization.k8s.io", "subjectaccessreviews", "create"),
    ]


def test_leader_election_needs_its_lease_and_tells_of_it() -> None:
    """Both are in the namespace of the Lease, which is seldom one that is looked after."""
    rules = operator_of(Shop).rules(namespaces=["shop"], leader_election="system")

    assert [one for one in rules if one.namespace == "system"] == [
        rule("", "events", *EVENT, namespace="system"),
        rule("coordination.k8s.io", "leases", "create", "get", "update", namespace="system"),
    ]


def test_what_is_given_everywhere_is_not_given_again_in_a_namespace() -> None:
    """The events of the Lease are covered by those of a whole cluster."""
    rules = operator_of(Shop).rules(leader_election="system")

    assert {one.namespace for one in rules if "events" in one.resources} == {""}


async def test_kinds_in_clusters_of_their_own_are_left_out() -> None:
    """Rights are given where the objects are."""
    async with EmbeddedServer() as server, server.client() as client:
        elsewhere = kw.Cluster(client, name="elsewhere")
        watched = kw.Watches(Secret, map=lambda _: [], cluster=elsewhere)

        here = operator_of(Shop, watches=[watched]).rules()
        away = operator_of(kw.For(Shop, cluster=elsewhere), owns=[ConfigMap]).rules()

    assert here == operator_of(Shop).rules()
    assert away == []


def test_one_text_is_no_list_of_namespaces() -> None:
    """Its letters would be namespaces."""
    with pytest.raises(TypeError, match=r"namespaces=\['shop'\]"):
        rules_of([], namespaces="shop")


# --- As text ---


def test_rules_are_yaml_to_paste_and_say_where() -> None:
    """The comments are for people; without them it is one list of rules."""
    read = [rule("", "pods", "get", "list", namespace=where) for where in ("shop", "town")]
    lease = rule("coordination.k8s.io", "leases", "get", namespace="system")

    text = text_of([rule("", "nodes", "get"), lease, *read])

    assert text == (
        "# in a ClusterRole:\n"
        '- apiGroups: [""]\n'
        '  resources: ["nodes"]\n'
        '  verbs: ["get"]\n'
        "# in Roles in each of the namespaces shop, town:\n"
        '- apiGroups: [""]\n'
        '  resources: ["pods"]\n'
        '  verbs: ["get", "list"]\n'
        "# in a Role in the namespace system:\n"
        '- apiGroups: ["coordination.k8s.io"]\n'
        '  resources: ["leases"]\n'
        '  verbs: ["get"]'
    )
    [role] = from_yaml("rules:\n" + text)
    assert len(role["rules"]) == 3


# --- What is missing ---


@asynccontextmanager
async def granted(
    server: EmbeddedServer, user: User, rules: list[PolicyRule]
) -> AsyncIterator[kw.Client]:
    """Give *user* the rights of *rules*, and return a client of theirs."""
    group = "rbac.authorization.k8s.io"
    async with server.client() as admin, server.client(user) as client:
        for role in roles("test", rules):
            await admin.create(kw.Unstructured(role))
            kind = role["kind"]
            binding = {
                "apiVersion": f"{group}/v1",
                "kind": f"{kind}Binding",
                "metadata": role["metadata"],
                "roleRef": {"apiGroup": group, "kind": kind, "name": "test"},
                "subjects": [{"apiGroup": group, "kind": "User", "name": user.name}],
            }
            await admin.create(kw.Unstructured(binding))
        yield client


async def test_who_may_do_nothing_lacks_everything() -> None:
    """The first run in a new cluster."""
    rules = operator_of(Shop, owns=[ConfigMap], cleanup=True).rules(leader_election="system")

    async with EmbeddedServer() as server, server.client(server.nobody) as client:
        assert await missing_rights(client, rules) == rules


async def test_an_administrator_asks_what_a_service_account_lacks() -> None:
    """Whoever looks into a cluster may do more than the operator that is ill there."""
    rules = [PolicyRule(("",), ("pods",), ("get",)), PolicyRule(("",), ("pods",), ("list",))]
    account = kw.ObjectKey("shops", "shop")
    subject = {"kind": "ServiceAccount", "name": "shop", "namespace": "shops"}
    group = "rbac.authorization.k8s.io"

    async with EmbeddedServer() as server, server.client() as client:
        (role,) = roles("test", rules[:1])
        await client.create(kw.Unstructured(role))
        binding = {
            "apiVersion": f"{group}/v1",
            "kind": "ClusterRoleBinding",
            "metadata": {"name": "test"},
            "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": "test"},
            "subjects": [subject],
        }
        await client.create(kw.Unstructured(binding))

        missing = await missing_rights(client, rules, account=account)

    assert missing == rules[1:]


async def test_with_the_rules_nothing_is_missing() -> None:
    """What the operator says it needs is what the server asks for."""
    rules = operator_of(Shop, owns=[ConfigMap], cleanup=True).rules(
        namespaces=["default"], leader_election="kube-system"
    )

    async with EmbeddedServer() as server, granted(server, server.nobody, rules) as client:
        missing = await missing_rights(client, rules)

    assert missing == []


async def test_a_right_in_the_namespace_of_the_operator_is_found_there() -> None:
    """A project calls it ``system``, and kustomize gives it another name."""
    rules = [rule("", "pods", "get", namespace="system"), rule("", "pods", "list", namespace="x")]
    moved = [rule("", "pods", "get", namespace="default")]

    async with EmbeddedServer() as server, granted(server, server.nobody, moved) as client:
        missing = await missing_rights(client, rules, home="default")
        nowhere = await missing_rights(client, rules, home="y")
        literal = await missing_rights(client, rules)

    assert missing == rules[1:]
    assert nowhere == [rules[1], rule("", "pods", "get", namespace="y")]
    assert literal == rules


async def test_only_what_is_missing_is_said() -> None:
    """Who may read everything still cannot write."""
    rules = operator_of(Shop, owns=[ConfigMap]).rules(namespaces=["shop"])

    async with EmbeddedServer() as server, server.client(server.reader) as client:
        missing = await missing_rights(client, rules)

    assert missing == [
        rule("", "configmaps", "create", "delete", "patch", namespace="shop"),
        rule("", "events", *EVENT, namespace="shop"),
        rule("example.com", "shops/finalizers", "update", namespace="shop"),
        rule("example.com", "shops/status", "patch", namespace="shop"),
    ]


async def test_a_right_in_one_namespace_is_none_in_the_whole_cluster() -> None:
    """Who runs without --namespace lists everywhere."""
    here, everywhere = (operator_of(ConfigMap).rules(namespaces=n) for n in (["default"], None))

    async with EmbeddedServer() as server, granted(server, server.nobody, here) as client:
        missing = await missing_rights(client, everywhere)

    assert missing == everywhere


class Always:
    """The same fault for each request."""

    def __init__(self, fault: Fault) -> None:
        self.fault = fault
        self.count = 0

    def choose(self, request: Request) -> Fault:
        self.count += 1
        return self.fault


@pytest.mark.parametrize("fault", [Refused(403), Refused(500), Unreachable(), Hanging(3600)])
async def test_a_review_without_an_answer_is_no_false_alarm(fault: Fault) -> None:
    """Another authority may decide, or the server is away; and nobody waits long for it."""
    clock, faults = VirtualClock(), Always(fault)
    rules = operator_of(Shop).rules()

    server = EmbeddedServer(clock=clock)
    async with server, server.client(server.nobody, faults=faults) as client:
        began = clock.monotonic()
        missing = await clock.run(missing_rights(client, rules))

    assert missing == []
    assert faults.count >= 6
    assert clock.monotonic() - began <= 2.0


async def test_the_other_reviews_count_when_one_fails() -> None:
    """A hiccup must not hide the rest."""
    rules = operator_of(ConfigMap).rules()

    async with EmbeddedServer() as server:
        faults = NextFaults([Refused(403)])
        async with server.client(server.nobody, faults=faults) as client:
            missing = await missing_rights(client, rules)

    assert sum(len(one.verbs) for one in missing) == sum(len(one.verbs) for one in rules) - 1


# --- Whether it is enough ---


async def test_an_operator_works_with_these_rights_and_no_others() -> None:
    """From the finalizer to the last event, with a lease; a role that is too small is a fault."""
    operator = kw.Operator("test")

    @operator.reconciler(Shop, owns=[ConfigMap])
    async def reconcile(shop: Shop, ctx: kw.Context) -> None:
        for number in range(shop.spec.size):
            await ctx.apply(config(f"{shop.metadata.name}-{number}"))
        await ctx.prune()
        ctx.event("Opened", "the shop is open")
        shop.status.phase = "Open"

    @operator.cleanup(Shop)
    async def close(shop: Shop, ctx: kw.Context) -> None:
        ctx.event("Closed", "the shop is closed")

    async with running_as_nobody(operator, "default") as (clock, admin):
        await admin.create(shop(size=2))
        await clock.advance(5)
        opened = await admin.get(Shop, "corner")
        children = [one.metadata.name for one in await admin.list(ConfigMap, namespace="default")]
        await admin.patch(Shop, "corner", {"spec": {"size": 1}})
        await clock.advance(5)
        fewer = [one.metadata.name for one in await admin.list(ConfigMap, namespace="default")]
        await admin.delete(Shop, "corner")
        await clock.advance(5)
        gone = await admin.find(Shop, "corner")
        told = {one.reason for one in await admin.list(Event)}

    assert opened.status.phase == "Open"
    assert children == ["corner-0", "corner-1"]
    assert fewer == ["corner-0"]
    assert gone is None
    assert told == {"Opened", "Closed", "LeaderElection"}


@asynccontextmanager
async def running_as_nobody(
    operator: kw.Operator, namespace: str
) -> AsyncIterator[tuple[VirtualClock, kw.Client]]:
    """Run *operator* in *namespace* as somebody who has just the rights that it says it needs."""
    clock = VirtualClock()
    rules = operator.rules(namespaces=[namespace], leader_election="kube-system")
    async with EmbeddedServer(clock=clock) as server, server.client() as admin:
        await clock.run(operator.install_crds(admin))
        async with granted(server, server.nobody, rules) as client:
            cluster = kw.Cluster(client, namespaces=[namespace])
            election = kw.LeaderElection("test", "kube-system")
            manager = kw.Manager(cluster, leader_election=election, clock=clock)
            operator.add_to(manager, cluster)
            task = asyncio.create_task(manager.run())
            try:
                await clock.advance(5)
                yield clock, admin
            finally:
                manager.stop()
                await clock.run(task)


def test_rules_by_hand_are_among_the_others() -> None:
    """What a function does with its client cannot be seen in its declaration."""
    mine = PolicyRule(groups=("core",), resources=("nodes",), verbs=("get",), resource_names=("a",))
    operator = kw.Operator("shops", rules=[mine, *rules_for({Secret: ["get"]}, namespace="vault")])

    found = [(one.resources, one.resource_names, one.namespace) for one in operator.rules()]

    assert found == [(("nodes",), ("a",), ""), (("secrets",), (), "vault")]


def test_what_is_no_rbac_rule_is_refused() -> None:
    """``kw.Rule`` is a rule of a schema, and has the shorter name."""
    wrong: Any = kw.Rule("self.size > 0")

    with pytest.raises(TypeError, match="is not an RBAC rule: give a"):
        kw.Operator("shops", rules=[wrong]).rules()


async def test_a_right_on_one_object_is_asked_for_that_object() -> None:
    """To ask about all would find it missing though it is there."""
    async with world() as w:
        asked: list[Any] = []

        def note(request: Request) -> Response | None:
            asked.append(json.loads(request.body or b"{}")["spec"]["resourceAttributes"])
            return None

        w.transport.intercept = note
        rule = PolicyRule(groups=("",), resources=("nodes",), verbs=("get",), resource_names=("a",))
        await missing_rights(w.cluster.client, [rule])

    assert [(one["resource"], one["name"]) for one in asked] == [("nodes", "a")]

"""The scaffolded operator, deployed for real: a pod with its own account, rights and webhooks."""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable, Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest

from kubewright.api.kind_reference import Kind
from kubewright.api.meta import ObjectMeta
from kubewright.api.unstructured import Unstructured
from kubewright.cli.cluster.clusters import Clusters
from kubewright.client import Client
from kubewright.errors import APIError, ForbiddenError
from kubewright.kinds.coordination.v1 import Lease
from kubewright.kinds.core.v1 import Pod, Secret, ServiceAccount
from kubewright.kinds.rbac.v1 import ClusterRoleBinding, RoleRef, Subject
from tests.cluster.command import Commands, processes
from tests.cluster.deployed import (
    NAMESPACE,
    DeployedProject,
    address_of,
    as_account,
    get,
    token_of,
)

pytestmark = pytest.mark.timeout(180)

Shop = Kind("shops.example.com/v1", "Shop")
ACCOUNT = "shop-operator-controller-manager"


@pytest.fixture(scope="module")
def scaffolded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DeployedProject]:
    """A project and its cluster, for all tests here."""
    folder = tmp_path_factory.mktemp("deployed")
    commands = Commands(folder / "state")
    project = DeployedProject(commands, folder / "shop-operator")
    project.scaffold()
    project.start()
    yield project
    for one in Clusters(commands.state / "clusters").all():
        commands.run("cluster", "stop", "--name", one.name)


@pytest.fixture
def project(scaffolded: DeployedProject) -> DeployedProject:
    """The project, deployed; it may be so already."""
    done = scaffolded.deploy()
    assert done.status == 0, done
    assert done.out.endswith(f"deployment.apps/{ACCOUNT} in {NAMESPACE} is ready\n")
    return scaffolded


async def until(holds: Callable[[], Awaitable[bool]]) -> None:
    """Wait until something holds; the time limit of the test is the bound."""
    while not await holds():  # noqa: ASYNC110  # what is looked at is behind a socket
        await asyncio.sleep(0.1)


def shop(name: str, **spec: str) -> Unstructured:
    return Shop(metadata={"name": name, "namespace": "default"}, spec=spec)


async def is_reconciled(client: Client, name: str) -> bool:
    """Whether the operator has said that a shop is ready."""
    found = await client.get(Shop, name)
    conditions = {one["type"]: one["status"] for one in found.status.get("conditions") or ()}
    return conditions.get("Ready") == "True"


async def pod_of(client: Client) -> Pod:
    """Return the pod of the operator that is not on its way out."""
    pods = await client.list(Pod, namespace=NAMESPACE)
    (found,) = [one for one in pods if one.metadata.deletion_timestamp is None]
    return found


async def test_a_sample_is_reconciled_by_the_leader(project: DeployedProject) -> None:
    """The pod runs the operator as its service account, and holds the Lease."""
    async with project.client() as client:
        await client.apply(shop("sample", foo="bar"))

        await until(lambda: is_reconciled(client, "sample"))

        lease = await client.get(Lease, "shop-operator", namespace=NAMESPACE)
        pod = await pod_of(client)
        found = await client.get(Shop, "sample")
        writers = {one["manager"] for one in found["metadata"]["managedFields"]}
        assert pod.spec.service_account_name == ACCOUNT
        assert lease.spec.holder_identity
        assert "shop-operator" in writers
        assert "became leader" in await client.logs(pod)


async def test_the_account_may_do_what_the_role_says_and_nothing_else(
    project: DeployedProject,
) -> None:
    """RBAC is enforced, so a rule that is missing is found here and not in production."""
    async with project.client() as admin:
        token = await token_of(admin, ACCOUNT, NAMESPACE)
        async with as_account(project.config(), token) as client:
            shops = await client.list(Shop)
            with pytest.raises(ForbiddenError) as everywhere:
                await client.list(Secret, namespace="default")
            with pytest.raises(ForbiddenError):
                await client.delete(Pod, "any", namespace=NAMESPACE)

    assert len(shops) >= 0
    assert f"system:serviceaccount:{NAMESPACE}:{ACCOUNT}" in str(everywhere.value)


async def test_metrics_answer_those_who_may_read_them(project: DeployedProject) -> None:
    """Through the Service, by HTTPS: without a token, with any, and with the right one."""
    async with project.client() as client:
        for name in ("reader", "stranger"):
            account = ServiceAccount(metadata=ObjectMeta(name=name))
            await client.apply(account)
        await client.apply(
            ClusterRoleBinding(
                metadata=ObjectMeta(name="test-metrics-reader"),
                role_ref=RoleRef(
                    api_group="rbac.authorization.k8s.io",
                    kind="ClusterRole",
                    name="shop-operator-metrics-reader",
                ),
                subjects=[Subject(kind="ServiceAccount", name="reader", namespace="default")],
            )
        )
        host = await address_of(client, "shop-operator-metrics-service")
        tokens = ["", *[await token_of(client, name, "default") for name in ("stranger", "reader")]]

        answers = [await asyncio.to_thread(get, host, 8443, "/metrics", token) for token in tokens]

        assert [one.status for one in answers] == [401, 403, 200]
        assert "controller_runtime_reconcile_total" in answers[2].text

        async def leads() -> bool:  # a pod is ready before it leads
            text = (await asyncio.to_thread(get, host, 8443, "/metrics", tokens[2])).text
            return 'leader_election_master_status{name="shop-operator"} 1' in text

        await until(leads)
        await client.delete(ClusterRoleBinding, "test-metrics-reader")


async def test_probes_answer_at_the_address_of_the_pod(project: DeployedProject) -> None:
    """As the node asks them."""

    def ask(host: str, path: str) -> int:
        connection = HTTPConnection(host, 8081, timeout=10)
        try:
            connection.request("GET", path)
            return connection.getresponse().status
        finally:
            connection.close()

    async with project.client() as client:
        pod = await pod_of(client)
        assert pod.status.pod_ip

        statuses = [
            await asyncio.to_thread(ask, pod.status.pod_ip, path)
            for path in ("/healthz", "/readyz")
        ]

        assert statuses == [200, 200]


async def test_the_webhook_refuses_through_the_api_server(project: DeployedProject) -> None:
    """With the words of the operator, at the field."""
    async with project.client() as client:
        with pytest.raises(APIError) as refused:
            await client.create(shop("bad", foo="bad"))

        assert "nobody wants that" in str(refused.value)
        assert "spec.foo" in str(refused.value)


async def test_a_killed_process_comes_back_and_leads_again(project: DeployedProject) -> None:
    """What happened meanwhile is not lost."""
    async with project.client() as client:
        before = await pod_of(client)
        mark = before.metadata.uid or ""
        victims = [one for one in processes(f"pods/{mark}") if _is_operator(one)]

        for victim in victims:
            os.kill(victim, signal.SIGKILL)
        await until(lambda: _has_restarted(client))
        await until(lambda: _is_served(client))
        await until(lambda: is_reconciled(client, "meanwhile"))

        after = await pod_of(client)
        assert victims
        assert after.metadata.uid == before.metadata.uid


async def test_a_deleted_pod_is_replaced(project: DeployedProject) -> None:
    """The old one gives the Lease back, so the new one leads at once."""
    async with project.client() as client:
        before = await pod_of(client)

        await client.delete(before)
        await until(lambda: _is_another(client, before))
        await until(lambda: _is_served(client))
        await until(lambda: is_reconciled(client, "meanwhile"))


async def test_another_image_rolls_out_while_the_old_pod_serves(project: DeployedProject) -> None:
    """Both are on one machine for a moment, and listen at the same ports."""
    done = project.kubewright("deploy", "--image", "localhost:5000/shop-operator:v2")
    again = project.deploy()

    assert done.status == 0, done
    assert again.status == 0, again
    assert "'localhost:5000/shop-operator:v1' -> 'localhost:5000/shop-operator:v2'" in done.out


async def test_undeploy_leaves_nothing(project: DeployedProject) -> None:
    """No object, no process; while there are shops it refuses, since nobody would clean up."""
    async with project.client() as client:
        await client.apply(shop("sample"))

        refused = project.kubewright("undeploy")
        done = project.kubewright("undeploy", "--delete-objects")

        left = [one for one in await _everything(client) if "shop" in one]
        assert refused.status == 1
        assert "shops.shops.example.com: " in refused.err
        assert done.status == 0, done
        assert left == []
        assert [
            one for one in processes(str(project.root.parent / "bin")) if _is_operator(one)
        ] == []


def _is_operator(process: int) -> bool:
    try:
        words = Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return b"shop_operator.main" in words


async def _has_restarted(client: Client) -> bool:
    pod = await pod_of(client)
    return any(one.restart_count for one in pod.status.container_statuses)


async def _is_another(client: Client, before: Pod) -> bool:
    pods = await client.list(Pod, namespace=NAMESPACE)
    return bool(pods) and all(one.metadata.uid != before.metadata.uid for one in pods)


async def _is_served(client: Client) -> bool:
    """Whether an object is taken: the webhook answers again."""
    try:
        await client.apply(shop("meanwhile"))
    except APIError:
        return False
    return True


async def _everything(client: Client) -> list[str]:
    """Return the names of all objects, except for what controllers of the cluster write."""
    client.mapper.reset()  # a kind has just gone
    found = await client.discovery.discover()
    names: list[str] = []
    for gv in found.group_versions():
        for resource in found.resources[gv]:
            if "list" in resource.verbs and resource.name not in {"events", "componentstatuses"}:
                objects = await client.list(resource.mapping)
                names += [f"{resource.name} {one.key}" for one in objects]
    return names

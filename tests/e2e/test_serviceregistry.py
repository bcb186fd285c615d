"""The sample ``serviceregistry`` as a process, with real etcd and real Traefik.

A real kube-apiserver refuses endpoints with loopback addresses. There, requests go to Services with
an external name, and of endpoints it is checked that Traefik knows their addresses.
"""

import asyncio
import sys
from collections.abc import Callable, Iterable
from typing import Any

import pytest

import kubewright as kw
from kubewright.kinds.apps.v1 import Deployment, DeploymentSpec
from kubewright.kinds.core.v1 import (
    Container,
    EndpointAddress,
    EndpointPort,
    Endpoints,
    EndpointSubset,
    EnvVar,
    EnvVarSource,
    Event,
    ExecAction,
    HTTPGetAction,
    Lifecycle,
    LifecycleHandler,
    ObjectFieldSelector,
    Pod,
    PodSpec,
    PodTemplateSpec,
    Probe,
    Service,
    ServicePort,
    ServiceSpec,
)
from kubewright.kinds.discovery.v1 import Endpoint, EndpointConditions, EndpointSlice
from kubewright.kinds.discovery.v1 import EndpointPort as SlicePort
from tests.e2e import greeter
from tests.e2e.cluster import EndToEndCluster
from tests.e2e.conftest import Start
from tests.e2e.program import Program
from tests.e2e.traefik import Answer, Backend, EtcdServer, TraefikServer, Traffic, eventually

pytest_plugins = ("tests.e2e.traefik_fixtures",)

PORT = 8080
"""Where pods listen, each at an address of its own."""
MANY = 300
"""Services, in the test of hundreds."""
CROWD = 200
"""Endpoints of one Service: more than etcd takes in one transaction."""

Run = Callable[[], Program]


@pytest.fixture
def run(start: Start, etcd: EtcdServer) -> Run:
    """Start the operator, as often as it is called."""
    return lambda: start("serviceregistry", environment=etcd.environment)


@pytest.fixture
def loopback(cluster: EndToEndCluster) -> None:
    """Skip where endpoints cannot be on this machine."""
    if cluster.choice == "real":
        pytest.skip("a real kube-apiserver refuses endpoints with loopback addresses")


# --- Requests ---


@pytest.mark.usefixtures("loopback")
async def test_no_request_fails_while_endpoints_come_and_go(
    client: kw.Client, run: Run, traefik: TraefikServer
) -> None:
    """The check of the sample: whoever uses a service does not notice that it is scaled."""
    run()
    with Backend("one") as one, Backend("three") as three:
        await create(client, "web")
        await serve(client, "web", "a", one)
        await eventually(lambda: traefik.get(path(client, "web")) == Answer(200, "one"))
        with Traffic(traefik, path(client, "web")) as traffic:
            with Backend("two") as two:
                await serve(client, "web", "b", two)
                await eventually(lambda: "two" in traffic.names)
                await client.delete(EndpointSlice, "b")
                await wait_for_servers(traefik, client, "web", {one.url})
            await serve(client, "web", "c", three)
            await client.delete(EndpointSlice, "a")
            await wait_for_servers(traefik, client, "web", {three.url})
            await eventually(lambda: "three" in traffic.names)

    assert traffic.failures == []
    assert traffic.names == {"one", "two", "three"}


@pytest.mark.usefixtures("loopback")
async def test_no_request_fails_while_a_deployment_is_scaled_and_rolled_out(
    client: kw.Client, run: Run, traefik: TraefikServer
) -> None:
    """The same with pods: they serve on for a moment after nobody should use them any more."""
    run()
    made = service("web", selector={"app": "web"})
    made.spec.ports = [ServicePort(port=80, target_port=PORT)]
    made.metadata.annotations = {"traefik.magedu.com/expose": "true"}
    await client.create(made)
    await client.apply(deployment("web", replicas=2))
    await wait_for_count(traefik, client, "web", 2)
    with Traffic(traefik, path(client, "web")) as traffic:
        await eventually(lambda: len(traffic.names) == 2)
        await client.apply(deployment("web", replicas=4))
        await eventually(lambda: len(traffic.names) == 4, timeout=60)
        await client.apply(deployment("web", replicas=1))
        await wait_for_count(traefik, client, "web", 1)
        await left(client, 1)
        seen = traffic.names
        await client.apply(deployment("web", replicas=1, release="second"))
        await eventually(lambda: len(traffic.names - seen) == 1, timeout=60)
        await wait_for_count(traefik, client, "web", 1)
        await left(client, 1)

    assert traffic.failures == []
    assert traffic.answers.total() > 100
    await client.delete(Service, "web")
    await eventually(lambda: traefik.get(path(client, "web")).status == 404)


async def test_no_request_fails_while_a_service_moves(
    client: kw.Client, run: Run, traefik: TraefikServer
) -> None:
    """The old address goes and the new one comes in the same transaction."""
    run()
    with Backend("two") as two:
        with Backend("one") as one:
            await create_external(client, "web", one.port)
            await eventually(lambda: traefik.get(path(client, "web")) == Answer(200, "one"))
            with Traffic(traefik, path(client, "web")) as before:
                await annotate(client, "web", port=str(two.port))
                await wait_for_servers(traefik, client, "web", {f"http://localhost:{two.port}"})
                await eventually(lambda: "two" in before.names)
        with Traffic(traefik, path(client, "web")) as after:
            await eventually(lambda: after.answers.total() > 100)

    assert before.answers.keys() == {Answer(200, "one"), Answer(200, "two")}
    assert after.answers.keys() == {Answer(200, "two")}


async def test_only_requests_to_a_deleted_service_fail(
    client: kw.Client, run: Run, traefik: TraefikServer
) -> None:
    """Traefik reads everything again, and must not lose anything."""
    run()
    with Backend("kept") as kept, Backend("doomed") as doomed:
        for backend in (kept, doomed):
            await create_external(client, backend.name, backend.port)
        await eventually(lambda: traefik.get(path(client, "kept")) == Answer(200, "kept"))
        await eventually(lambda: traefik.get(path(client, "doomed")) == Answer(200, "doomed"))
        with Traffic(traefik, path(client, "kept")) as traffic:
            await client.delete(Service, "doomed")
            await eventually(lambda: traefik.get(path(client, "doomed")).status == 404)
            seen = traffic.answers.total()
            await eventually(lambda: traffic.answers.total() > seen + 100)

    assert traffic.answers.keys() == {Answer(200, "kept")}


async def test_an_external_name_is_a_server(
    client: kw.Client, run: Run, traefik: TraefikServer, etcd: EtcdServer
) -> None:
    """What runs outside of the cluster can be reached through it, too, until nobody wants it to."""
    run()
    with Backend("one") as one:
        await create_external(client, "web", one.port)
        await eventually(lambda: traefik.get(path(client, "web")) == Answer(200, "one"))

        await annotate(client, "web", expose=None)
        await eventually(lambda: traefik.get(path(client, "web")).status == 404)

    assert ours(etcd, client) == {}


@pytest.mark.usefixtures("loopback")
async def test_without_endpoints_the_answer_is_503(
    client: kw.Client, run: Run, traefik: TraefikServer
) -> None:
    """404 would say that there is no such service, and clients would not try again."""
    run()
    with Backend("one") as one:
        await create(client, "web")
        await eventually(lambda: traefik.get(path(client, "web")).status == 503)

        await serve(client, "web", "a", one)

        await eventually(lambda: traefik.get(path(client, "web")) == Answer(200, "one"))


# --- What is written ---


async def test_endpoints_that_are_not_ready_are_left_out(
    client: kw.Client, cluster: EndToEndCluster, run: Run, traefik: TraefikServer
) -> None:
    """A pod that starts or ends is an endpoint as well, and would answer with an error."""
    run()
    await create(client, "web")

    await publish(client, cluster, "web", ready=["10.1.0.1", "10.1.0.2"], waiting=["10.1.0.3"])

    await wait_for_servers(traefik, client, "web", {"http://10.1.0.1:80", "http://10.1.0.2:80"})


async def test_annotations_choose_rule_entry_point_port_and_target(
    client: kw.Client, run: Run, traefik: TraefikServer, etcd: EtcdServer
) -> None:
    """The defaults fit most, not all."""
    run()
    made = await create(
        client,
        "web",
        ports=[ServicePort(name="http", port=80), ServicePort(name="admin", port=8080)],
        rule="Host(`web.example`)",
        entrypoint="web",
        port="admin",
        target="clusterip",
    )

    await wait_for_servers(traefik, client, "web", {f"http://{made.spec.cluster_ip}:8080"})

    router = f"traefik/http/routers/serviceregistry.{client.namespace}.web"
    assert etcd.keys(f"{router}/") == {
        f"{router}/entrypoints/0": "web",
        f"{router}/rule": "Host(`web.example`)",
        f"{router}/service": f"serviceregistry.{client.namespace}.web",
    }


@pytest.mark.parametrize(
    ("annotation", "value", "message"),
    [
        ("expose", "yes", "traefik.magedu.com/expose is 'yes': write true or false"),
        ("port", "grpc", "traefik.magedu.com/port is 'grpc', and the Service has 80"),
        ("entrypoint", "a b", "traefik.magedu.com/entrypoint cannot be 'a b'"),
        ("target", "pods", "traefik.magedu.com/target is 'pods': write clusterip or endpoints"),
        ("rule", " ", "traefik.magedu.com/rule cannot be ' '"),
    ],
)
async def test_a_wrong_annotation_is_told_and_changes_nothing(
    client: kw.Client, run: Run, etcd: EtcdServer, annotation: str, value: str, message: str
) -> None:
    """Its author looks at ``kubectl describe``, and users of the service need not suffer."""
    program = run()
    await create(client, "web", target="clusterip")
    before = await eventually(lambda: ours(etcd, client))

    await annotate(client, "web", **{annotation: value})
    event = await wait_for_event(client, "InvalidAnnotation")

    assert (event.type, event.message) == ("Warning", message)
    assert event.involved_object.name == "web"
    assert ours(etcd, client) == before
    assert program.running


async def test_services_that_do_not_ask_for_it_are_not_exposed(
    client: kw.Client, run: Run, etcd: EtcdServer
) -> None:
    """Most Services are nobody's business outside."""
    run()
    await create(client, "quiet", expose="false", target="clusterip")
    await client.create(service("silent"))
    await create(client, "web", target="clusterip")

    await eventually(lambda: ours(etcd, client))

    assert records(etcd, client) == {"web"}


async def test_more_endpoints_than_a_transaction_holds(
    client: kw.Client,
    cluster: EndToEndCluster,
    run: Run,
    traefik: TraefikServer,
    etcd: EtcdServer,
) -> None:
    """Etcd refuses transactions of more than 128 keys."""
    addresses = [f"10.1.0.{number}" for number in range(1, CROWD + 1)]
    run()
    await create(client, "web")

    await publish(client, cluster, "web", ready=addresses)
    await wait_for_servers(traefik, client, "web", {f"http://{one}:80" for one in addresses})
    await client.delete(Service, "web")

    await eventually(lambda: ours(etcd, client) == {})
    await eventually(lambda: traefik.routers() == set())


async def test_hundreds_of_services_take_seconds(
    client: kw.Client, run: Run, traefik: TraefikServer
) -> None:
    """Each is a transaction, and all of them come at once when an operator is new to a cluster."""
    names = [f"web-{number}" for number in range(MANY)]
    for group in range(0, MANY, 50):
        some = names[group : group + 50]
        await asyncio.gather(*(create_external(client, name, 80) for name in some))

    run()

    expected = {router(client, name) for name in names}
    await eventually(lambda: traefik.routers() == expected, timeout=20)


# --- What goes wrong ---


async def test_routes_of_services_that_went_meanwhile_are_removed_at_the_start(
    client: kw.Client, run: Run, etcd: EtcdServer
) -> None:
    """Nobody tells an operator that was down of them; and what is not its own stays."""
    theirs = "traefik/http/routers/theirs/rule"
    etcd.put(theirs, "Path(`/theirs`)")
    etcd.put("kubewright/serviceregistry/elsewhere/web", f'["{theirs}"]')
    first = run()
    for name in ("kept", "gone", "hidden"):
        await create(client, name, target="clusterip")
    await eventually(lambda: records(etcd, client) == {"kept", "gone", "hidden"})
    first.kill()
    await client.delete(Service, "gone")
    await annotate(client, "hidden", expose="false")

    run()

    await eventually(lambda: records(etcd, client) == {"kept"})
    assert set(etcd.keys("traefik/http/routers/")) == {
        theirs,
        f"traefik/http/routers/{router(client, 'kept')}/rule",
        f"traefik/http/routers/{router(client, 'kept')}/service",
    }


async def test_it_catches_up_when_etcd_returns(
    client: kw.Client, run: Run, traefik: TraefikServer, etcd: EtcdServer
) -> None:
    """Etcd is restarted for an update now and then, and so may be everything at once."""
    program = run()
    with Backend("one") as one:
        for name in ("web", "gone"):
            await create_external(client, name, one.port)
        await eventually(lambda: records(etcd, client) == {"web", "gone"})
        await eventually(lambda: traefik.get(path(client, "web")) == Answer(200, "one"))
        with Traffic(traefik, path(client, "web")) as traffic:
            etcd.stop()
            await create_external(client, "late", one.port)
            await client.delete(Service, "gone")
            await eventually(lambda: "etcd does not answer" in program.output)

            etcd.start()

            await eventually(lambda: records(etcd, client) == {"web", "late"})
            await eventually(lambda: traefik.get(path(client, "late")) == Answer(200, "one"))
    assert traffic.answers.keys() == {Answer(200, "one")}


async def test_killed_and_started_again_it_ends_in_the_same_state(
    client: kw.Client, run: Run, etcd: EtcdServer
) -> None:
    """A kill may come between any two requests; and who finds all done writes nothing."""
    names = {f"web-{number}" for number in range(30)}
    first = run()
    for name in names:
        await create(client, name, target="clusterip")
    await eventually(lambda: ours(etcd, client))
    first.kill()
    second = run()
    await eventually(lambda: records(etcd, client) == names)
    second.kill()
    revision = etcd.revision()

    third = run()
    await create(client, "last", target="clusterip")
    await eventually(lambda: "last" in records(etcd, client))
    third.stop()

    assert etcd.revision() == revision + 1


# --- What the tests are written with ---


def service(name: str, **more: Any) -> Service:
    """Return a Service without a selector, so that nobody else writes its endpoints."""
    spec = ServiceSpec(ports=[ServicePort(port=80)])
    for field, value in more.items():
        setattr(spec, field, value)
    return Service(metadata=kw.ObjectMeta(name=name), spec=spec)


async def create(client: kw.Client, name: str, *, expose: str = "true", **more: Any) -> Service:
    """Create an exposed Service; keywords other than annotations are fields of its spec."""
    known = {"rule", "entrypoint", "port", "target"}
    made = service(name, **{field: value for field, value in more.items() if field not in known})
    wanted = {"expose": expose, **{one: str(more[one]) for one in known & more.keys()}}
    made.metadata.annotations = {f"traefik.magedu.com/{key}": wanted[key] for key in wanted}
    return await client.create(made)


async def create_external(client: kw.Client, name: str, port: int) -> None:
    """Create an exposed Service whose server is at *port* of this machine."""
    spec: dict[str, Any] = {"type": "ExternalName", "external_name": "localhost", "ports": []}
    await create(client, name, port=port, **spec)


def deployment(name: str, *, replicas: int, release: str = "first") -> Deployment:
    """Return a Deployment of servers that answer with the names of their pods."""
    container = Container(
        name="web",
        image="python:3",
        command=[sys.executable, greeter.__file__, "$(POD_IP)", str(PORT), "$(POD_NAME)"],
        env=[from_field("POD_IP", "status.podIP"), from_field("POD_NAME", "metadata.name")],
        readiness_probe=Probe(http_get=HTTPGetAction(port=PORT), period_seconds=1),
        # Traefik takes over changes 2 s apart, so a pod is asked for so long after it is out.
        lifecycle=Lifecycle(pre_stop=LifecycleHandler(exec=ExecAction(command=["sleep", "5"]))),
    )
    labels = {"app": name}
    return Deployment(
        metadata=kw.ObjectMeta(name=name),
        spec=DeploymentSpec(
            replicas=replicas,
            selector=kw.LabelSelector(match_labels=labels),
            template=PodTemplateSpec(
                metadata=kw.ObjectMeta(labels=labels, annotations={"release": release}),
                spec=PodSpec(containers=[container]),
            ),
        ),
    )


def from_field(name: str, field: str) -> EnvVar:
    """Return a variable with a field of the pod."""
    source = EnvVarSource(field_ref=ObjectFieldSelector(field_path=field))
    return EnvVar(name=name, value_from=source)


async def wait_for_count(traefik: TraefikServer, client: kw.Client, name: str, count: int) -> None:
    """Wait until Traefik knows so many servers of a Service."""
    await eventually(lambda: len(traefik.servers(router(client, name))) == count, timeout=60)


async def left(client: kw.Client, count: int) -> None:
    """Wait until there are so many pods, and no more that end."""
    async for _ in client.watch(Pod, namespace=client.namespace):
        if len([pod async for pod in client.list(Pod, namespace=client.namespace)]) == count:
            return


async def annotate(client: kw.Client, name: str, **annotations: str | None) -> None:
    """Change annotations of a Service; ``None`` removes one."""
    changed = {f"traefik.magedu.com/{key}": annotations[key] for key in annotations}
    await client.patch(Service, name, {"metadata": {"annotations": changed}})


async def serve(client: kw.Client, name: str, slice_name: str, backend: Backend) -> None:
    """Let *backend* be an endpoint of the Service *name*."""
    await client.create(
        EndpointSlice(
            metadata=kw.ObjectMeta(name=slice_name, labels={"kubernetes.io/service-name": name}),
            address_type="IPv4",
            endpoints=[endpoint(backend.host)],
            ports=[SlicePort(name="", port=backend.port)],
        )
    )


async def publish(
    client: kw.Client,
    cluster: EndToEndCluster,
    name: str,
    *,
    ready: Iterable[str],
    waiting: Iterable[str] = (),
) -> None:
    """Give the Service *name* endpoints, as the version of the cluster has them."""
    meta = kw.ObjectMeta(name=name, labels={"kubernetes.io/service-name": name})
    if cluster.choice == "real":  # 1.20 has no discovery.k8s.io/v1
        subset = EndpointSubset(
            addresses=[EndpointAddress(ip=one) for one in ready],
            not_ready_addresses=[EndpointAddress(ip=one) for one in waiting],
            ports=[EndpointPort(port=80)],
        )
        await client.create(Endpoints(metadata=meta, subsets=[subset]))
        return
    endpoints = [endpoint(one) for one in ready] + [endpoint(one, ready=False) for one in waiting]
    await client.create(
        EndpointSlice(
            metadata=meta,
            address_type="IPv4",
            endpoints=endpoints,
            ports=[SlicePort(name="", port=80)],
        )
    )


def endpoint(address: str, *, ready: bool = True) -> Endpoint:
    """Return an endpoint of an EndpointSlice."""
    return Endpoint(addresses=[address], conditions=EndpointConditions(ready=ready))


async def wait_for_servers(
    traefik: TraefikServer, client: kw.Client, name: str, servers: set[str]
) -> None:
    """Wait until these are the servers that Traefik knows of a Service."""
    await eventually(lambda: traefik.servers(router(client, name)) == servers)


async def wait_for_event(client: kw.Client, reason: str) -> Event:
    """Return the first event of that reason."""
    async for seen in client.watch(Event, namespace=client.namespace):
        if seen.object.reason == reason:
            return seen.object
    raise AssertionError(f"no event {reason}")


def path(client: kw.Client, name: str) -> str:
    """Return the path that leads to a Service without a rule."""
    return f"/{client.namespace}/{name}"


def router(client: kw.Client, name: str) -> str:
    """Return how the router of a Service is called in Traefik."""
    return f"serviceregistry.{client.namespace}.{name}"


def ours(etcd: EtcdServer, client: kw.Client) -> dict[str, str]:
    """Return the keys in etcd that have to do with the namespace of the test."""
    return {key: value for key, value in etcd.keys().items() if client.namespace in key}


def records(etcd: EtcdServer, client: kw.Client) -> set[str]:
    """Return the Services whose keys are recorded."""
    prefix = f"kubewright/serviceregistry/{client.namespace}/"
    return {key.removeprefix(prefix) for key in etcd.keys(prefix)}

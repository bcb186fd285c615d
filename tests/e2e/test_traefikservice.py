"""The sample ``traefikservice`` as a process, with real etcd and real Traefik."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import kubewright as kw
from tests.e2e.conftest import Start
from tests.e2e.program import Program
from tests.e2e.traefik import Answer, Backend, EtcdServer, TraefikServer, eventually

pytest_plugins = ("tests.e2e.traefik_fixtures",)

KIND = kw.GroupVersionKind("traefik.magedu.com", "v1", "TraefikService")
CRD = kw.GroupVersionKind("apiextensions.k8s.io", "v1", "CustomResourceDefinition")
TIMEOUT = 30.0

Run = Callable[[], Program]


@pytest.fixture
def run(start: Start, etcd: EtcdServer) -> Run:
    """Start the operator, as often as it is called."""
    return lambda: start("traefikservice", environment=etcd.environment)


async def test_requests_go_where_the_newest_spec_says(
    client: kw.Client, run: Run, traefik: TraefikServer
) -> None:
    """That is what it is for: a URL in Kubernetes is a route in Traefik."""
    with Backend("one") as one, Backend("two") as two:
        run()
        await apply(client, "web", one.url)
        first = await eventually(lambda: is_answer_of(traefik.get(path(client, "web")), "one"))
        before = await wait_until_active(client, "web")

        await apply(client, "web", two.url)
        second = await eventually(lambda: is_answer_of(traefik.get(path(client, "web")), "two"))
        after = await wait_until_active(client, "web", generation=2)

    assert (first, second) == (True, True)
    assert after["lastUpdateTime"] >= before["lastUpdateTime"]
    assert (before["observedGeneration"], after["observedGeneration"]) == (1, 2)
    assert (before["message"], after["message"]) == ("", "")


async def test_a_rule_of_ones_own_counts(
    client: kw.Client, run: Run, traefik: TraefikServer
) -> None:
    """Traefik matches by host, header and much more; the path is only the default."""
    with Backend("one") as one:
        run()
        await apply(client, "web", one.url, rule="Path(`/somewhere/else`)")

        await eventually(lambda: is_answer_of(traefik.get("/somewhere/else"), "one"))

        assert traefik.get(path(client, "web")).status == 404


async def test_deleting_leaves_nothing_behind(
    client: kw.Client, run: Run, traefik: TraefikServer, etcd: EtcdServer
) -> None:
    """A route to a server that is gone would answer 502 for ever."""
    with Backend("one") as one:
        run()
        await apply(client, "web", one.url)
        await eventually(lambda: is_answer_of(traefik.get(path(client, "web")), "one"))

        await client.delete(KIND, "web")
        await wait_until_gone(client, "web")

        await eventually(lambda: traefik.get(path(client, "web")).status == 404)
        assert ours(etcd, client) == {}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("url", "ftp://127.0.0.1"),
        ("url", "http://two words"),
        ("url", "http://127.0.0.1/path"),
        ("entrypoint", "not an entry point"),
        ("entrypoint", ""),
        ("rule", ""),
    ],
)
async def test_wrong_input_is_refused_by_the_schema(
    client: kw.Client, run: Run, field: str, value: str
) -> None:
    """One value that Traefik cannot read stops it from taking over any route of anybody."""
    run()
    await wait_until_installed(client)
    obj = service("web", "http://127.0.0.1:1")
    obj["spec"][field] = value

    with pytest.raises(kw.InvalidError) as refused:
        await client.create(obj)

    assert [cause.field for cause in refused.value.causes] == [f"spec.{field}"]


async def test_it_says_that_etcd_is_down_and_catches_up(
    client: kw.Client, run: Run, traefik: TraefikServer, etcd: EtcdServer
) -> None:
    """Nobody wants to look into the log of the operator, nor to start it again."""
    with Backend("one") as one:
        run()
        await apply(client, "kept", one.url)
        await apply(client, "doomed", one.url)
        await wait_until_active(client, "doomed")
        await eventually(lambda: is_answer_of(traefik.get(path(client, "kept")), "one"))

        etcd.stop()
        await apply(client, "late", one.url)
        await client.delete(KIND, "doomed")
        down = await wait_for_status(client, "late", lambda status: bool(status.get("message")))
        held = await wait_for_status(client, "doomed", lambda status: bool(status.get("message")))
        served = traefik.get(path(client, "kept"))
        etcd.start()
        up = await wait_until_active(client, "late")
        await wait_until_gone(client, "doomed")

        await eventually(lambda: is_answer_of(traefik.get(path(client, "late")), "one"))
    assert not down["active"]
    assert down["message"].startswith(f"etcd does not answer at {etcd.url}: ")
    assert held["message"] == down["message"]
    assert is_answer_of(served, "one")
    assert up["message"] == ""


async def test_a_member_of_etcd_that_is_down_is_passed_over(
    client: kw.Client, start: Start, etcd: EtcdServer
) -> None:
    """That is what an etcd of several members is for."""
    start("traefikservice", environment={"ETCD_ENDPOINTS": f"http://127.0.0.1:1,{etcd.url}"})

    await apply(client, "web", "http://127.0.0.1:1")

    await wait_until_active(client, "web")


async def test_etcd_may_ask_for_certificates(
    client: kw.Client, start: Start, tmp_path: Path
) -> None:
    """Whoever can write there decides where the requests of everybody go."""
    with EtcdServer(tmp_path, tls=True) as etcd:
        start("traefikservice", environment=etcd.environment)
        await apply(client, "web", "http://127.0.0.1:1")
        await wait_until_active(client, "web")
        written = ours(etcd, client)
        await client.delete(KIND, "web")
        await wait_until_gone(client, "web")

        assert len(written) == 6
        assert ours(etcd, client) == {}


async def test_a_route_that_somebody_deleted_comes_back(
    client: kw.Client, run: Run, etcd: EtcdServer
) -> None:
    """A restart looks at all of them, and otherwise five minutes do."""
    first = run()
    await apply(client, "web", "http://127.0.0.1:1")
    await wait_until_active(client, "web")
    before = ours(etcd, client)
    first.stop()
    etcd.delete(f"traefik/http/routers/traefikservice.{client.namespace}.web/rule")

    run()

    await eventually(lambda: ours(etcd, client) == before)


async def test_keys_of_others_are_not_touched(
    client: kw.Client, run: Run, traefik: TraefikServer, etcd: EtcdServer
) -> None:
    """Traefik's tree is shared with people and with other programs."""
    router = f"traefik/http/routers/traefikservice.{client.namespace}.web"
    theirs = {f"{router}/rule": "Path(`/theirs`)", "traefik/http/routers/x/rule": "Path(`/x`)"}
    for key, value in theirs.items():
        etcd.put(key, value)
    with Backend("one") as one:
        run()
        await apply(client, "web", one.url)
        refused = await wait_for_status(client, "web", lambda status: bool(status.get("message")))
        kept = etcd.keys("traefik/http/routers/")
        etcd.delete(f"{router}/rule")
        await wait_until_active(client, "web")
        etcd.put(f"{router}/middlewares/0", "theirs@file")
        await client.delete(KIND, "web")
        await wait_until_gone(client, "web")

    assert not refused["active"]
    assert refused["message"].startswith(f"somebody else wrote {router}/rule: ")
    assert kept == theirs
    assert etcd.keys("traefik/http/routers/") == {
        "traefik/http/routers/x/rule": "Path(`/x`)",
        f"{router}/middlewares/0": "theirs@file",
    }


async def test_killed_and_started_again_it_ends_in_the_same_state(
    client: kw.Client, run: Run, traefik: TraefikServer, etcd: EtcdServer
) -> None:
    """A kill may come between any two requests; what follows must not depend on it."""
    names = [f"web-{number}" for number in range(20)]
    with Backend("one") as one:
        first = run()
        await wait_until_installed(client)
        for name in names:
            await apply(client, name, one.url)
        await eventually(lambda: bool(ours(etcd, client)))
        first.kill()
        run()
        for name in names:
            await wait_until_active(client, name)

        expected = {f"traefikservice.{client.namespace}.{name}" for name in names}
        await eventually(lambda: traefik.routers() == expected)
        assert is_answer_of(traefik.get(path(client, names[-1])), "one")


async def test_a_restart_writes_nothing(client: kw.Client, run: Run, etcd: EtcdServer) -> None:
    """Each write to etcd makes Traefik read everything, and each status wakes who watches it."""
    first = run()
    await apply(client, "web", "http://127.0.0.1:1")
    before = await wait_until_active(client, "web")
    # The key that Traefik watches by is written by another task, once, maybe after the route.
    await eventually(lambda: any("kubewright-anchor" in key for key in etcd.keys()))  # noqa: SIM118  # no dict
    first.stop()
    version, revision = (await client.get(KIND, "web")).resource_version, etcd.revision()

    second = run()
    await apply(client, "next", "http://127.0.0.1:1")
    await wait_until_active(client, "next")
    second.stop()

    found = await client.get(KIND, "web")
    assert (found.resource_version, found["status"]) == (version, before)
    assert etcd.revision() == revision + 1


# --- What the tests are written with ---


def service(name: str, url: str, **more: str) -> kw.Unstructured:
    """Return a TraefikService for the entry point ``web``."""
    return kw.Unstructured(
        apiVersion=KIND.api_version,
        kind=KIND.kind,
        metadata={"name": name},
        spec={"entrypoint": "web", "url": url, **more},
    )


async def wait_until_installed(client: kw.Client) -> None:
    """Wait until the operator has installed its kind."""

    def is_served(crd: kw.Unstructured | None) -> bool:
        conditions = [] if crd is None else crd.get("status", {}).get("conditions") or []
        return any(one["type"] == "Established" and one["status"] == "True" for one in conditions)

    name = "traefikservices.traefik.magedu.com"
    await kw.wait_for(client, CRD, name, is_served, timeout=TIMEOUT)


async def apply(client: kw.Client, name: str, url: str, **more: str) -> None:
    """Create a TraefikService, or change it."""
    await wait_until_installed(client)
    await client.apply(service(name, url, **more))


async def wait_for_status(
    client: kw.Client, name: str, holds: Callable[[dict[str, Any]], bool]
) -> dict[str, Any]:
    """Return the status of a TraefikService, once *holds* says yes to it."""
    found = await kw.wait_for(
        client, KIND, name, lambda one: one is not None and holds(one.get("status", {})),
        timeout=TIMEOUT,
    )  # fmt: skip
    assert found is not None
    answer: dict[str, Any] = found["status"]
    return answer


async def wait_until_active(client: kw.Client, name: str, generation: int = 1) -> dict[str, Any]:
    """Return the status of a TraefikService that is in etcd, in this generation."""
    return await wait_for_status(
        client,
        name,
        lambda status: bool(status.get("active")) and status["observedGeneration"] == generation,
    )


async def wait_until_gone(client: kw.Client, name: str) -> None:
    """Wait until there is no TraefikService of that name."""
    await kw.wait_for(client, KIND, name, lambda one: one is None, timeout=TIMEOUT)


def path(client: kw.Client, name: str) -> str:
    """Return the path that leads to a TraefikService without a rule."""
    return f"/{client.namespace}/{name}"


def is_answer_of(answer: Answer, name: str) -> bool:
    """Return whether *answer* came from the backend *name*."""
    return answer == Answer(200, name)


def ours(etcd: EtcdServer, client: kw.Client) -> dict[str, str]:
    """Return the keys in etcd that have to do with the namespace of the test."""
    return {key: value for key, value in etcd.keys().items() if client.namespace in key}

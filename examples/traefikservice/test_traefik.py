"""Routes and their records, on an etcd in memory: killed at each step, and disturbed by others."""

import json
from collections.abc import Collection, Mapping

import pytest

from etcd import Etcd, EtcdError, Value
from kubewright import ObjectKey
from memory_etcd import KilledError, MemoryEtcd
from traefik import Route, Routes, default_rule

KEY = ObjectKey("shop", "web")
RECORD = "kubewright/us/shop/web"


def route(servers: int, rule: str = "Path(`/a`)") -> Route:
    """Return a route with so many servers."""
    return Route(rule, {f"10.0.0.{one}": f"http://10.0.0.{one}" for one in range(servers)})


async def test_a_route_is_one_transaction_and_a_second_look_is_none() -> None:
    """Traefik reads everything again after each."""
    etcd = MemoryEtcd()
    routes = Routes(etcd, owner="us")

    first, again = await routes.write(KEY, route(2)), await routes.write(KEY, route(2))

    assert (first, again, etcd.revision) == (True, False, 2)
    assert etcd.texts() == {
        "traefik/http/services/us.shop.web/loadbalancer/passhostheader": "true",
        "traefik/http/services/us.shop.web/loadbalancer/servers/10.0.0.0/url": "http://10.0.0.0",
        "traefik/http/services/us.shop.web/loadbalancer/servers/10.0.0.1/url": "http://10.0.0.1",
        "traefik/http/routers/us.shop.web/rule": "Path(`/a`)",
        "traefik/http/routers/us.shop.web/service": "us.shop.web",
        RECORD: json.dumps(sorted(etcd.texts().keys() - {RECORD})),
    }


@pytest.mark.parametrize("steps", range(13))
async def test_killed_after_any_transaction_the_next_run_ends_the_same(steps: int) -> None:
    """With many servers a change is several transactions, and a kill may come between them."""
    etcd = MemoryEtcd(steps)
    etcd.values["traefik/http/routers/theirs/rule"] = Value("Path(`/`)", 1)
    wanted = [route(300), route(5, "Path(`/b`)"), route(280), None]

    for one in wanted:
        try:
            await settle(Routes(etcd, owner="us"), one)
        except KilledError:
            etcd.lives = 1000
            assert written(etcd) <= recorded(etcd), "nobody knows of a key any more"
            await settle(Routes(etcd, owner="us"), one)
        expected = {} if one is None else one.keys("traefik", "us.shop.web")
        assert {key: etcd.texts()[key] for key in written(etcd)} == expected

    assert etcd.texts() == {"traefik/http/routers/theirs/rule": "Path(`/`)"}


async def test_a_router_comes_after_its_servers_and_goes_before_them() -> None:
    """Otherwise Traefik has a router that leads nowhere, for as long as the next one takes."""
    seen: list[bool] = []

    class Watched(MemoryEtcd):
        async def commit(
            self, puts: Mapping[str, str], deletes: Collection[str], *, unless: Mapping[str, int]
        ) -> int:
            done = await super().commit(puts, deletes, unless=unless)
            servers = [key for key in self.values if "/servers/" in key]
            routed = "traefik/http/routers/us.shop.web/rule" in self.values
            seen.append(not routed or len(servers) == 300)
            return done

    etcd = Watched()
    await settle(Routes(etcd, owner="us"), route(300))
    await settle(Routes(etcd, owner="us"), None)

    assert seen == [True] * 6


async def test_a_key_of_somebody_else_is_left_and_named() -> None:
    """It may be a route that people rely on."""
    etcd = MemoryEtcd()
    theirs = "traefik/http/routers/us.shop.web/rule"
    etcd.values[theirs] = Value("theirs", 1)

    with pytest.raises(EtcdError, match=f"somebody else wrote {theirs}"):
        await Routes(etcd, owner="us").write(KEY, route(1))

    assert etcd.texts() == {theirs: "theirs"}


async def test_who_comes_second_reads_again() -> None:
    """Two replicas may have seen two states of the same Service."""

    class Raced(MemoryEtcd):
        raced = False

        async def commit(
            self, puts: Mapping[str, str], deletes: Collection[str], *, unless: Mapping[str, int]
        ) -> int:
            if not self.raced:
                self.raced = True
                await Routes(self, owner="us").write(KEY, route(3))
            return await super().commit(puts, deletes, unless=unless)

    etcd = Raced()
    await Routes(etcd, owner="us").write(KEY, route(1))

    assert {key: etcd.texts()[key] for key in written(etcd)} == route(1).keys(
        "traefik", "us.shop.web"
    )


async def test_another_prefix_moves_the_keys() -> None:
    """The record knows where they were."""
    etcd = MemoryEtcd()
    await Routes(etcd, owner="us", prefix="old").write(KEY, route(1))

    await Routes(etcd, owner="us", prefix="/new/").write(KEY, route(1))

    assert {key.split("/")[0] for key in etcd.values} == {"new", "kubewright"}


async def test_what_is_recorded_can_be_asked_for() -> None:
    """That is how routes of objects are found that are gone; and Traefik gets a key to watch."""
    etcd = MemoryEtcd()
    routes = Routes(etcd, owner="us")
    await routes.write(KEY, route(1))
    await Routes(etcd, owner="them").write(ObjectKey("shop", "theirs"), route(1))

    found = await routes.list_recorded()

    assert found == [KEY]
    assert "traefik/http/middlewares/kubewright-anchor/addprefix/prefix" in etcd.values


@pytest.mark.parametrize("owner", ["", "Us", "a/b", "a.b", "-a"])
def test_an_owner_is_part_of_keys_and_checked(owner: str) -> None:
    """With a dot in it, two objects could have the same name."""
    with pytest.raises(ValueError, match="an owner is"):
        Routes(MemoryEtcd(), owner=owner)


@pytest.mark.parametrize("endpoint", ["", "127.0.0.1:2379", "unix:///etcd"])
def test_an_endpoint_is_a_url(endpoint: str) -> None:
    """The environment variable is easy to get wrong, and the message says what is right."""
    with pytest.raises(ValueError, match="write http://127"):
        Etcd([endpoint])


def test_the_default_rule_is_the_path() -> None:
    """Namespaces and names have no characters that mean something in a rule."""
    assert default_rule(KEY) == "PathPrefix(`/shop/web`)"


async def settle(routes: Routes, wanted: Route | None) -> None:
    """Write the route, or remove it."""
    await (routes.remove(KEY) if wanted is None else routes.write(KEY, wanted))


def written(etcd: MemoryEtcd) -> set[str]:
    """Return the keys that are there of our route."""
    return {key for key in etcd.values if "/us.shop.web/" in key}


def recorded(etcd: MemoryEtcd) -> set[str]:
    """Return the keys that are said to be of our route."""
    return set(json.loads(etcd.values[RECORD].text)) if RECORD in etcd.values else set()

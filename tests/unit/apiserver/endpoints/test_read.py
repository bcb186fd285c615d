"""Get and list: pages, versions and snapshots."""

import base64

import msgspec
import pytest

from kubewright._aio.virtual import VirtualClock
from kubewright.apiserver.server import APIServer
from tests.unit.apiserver.asking import FOOS, MAPS, PODS, ask, define, foo, make, named, pod


async def fill(server: APIServer, count: int) -> None:
    for number in range(count):
        await make(server, MAPS, named(f"m{number}", labels={"odd": str(number % 2)}))


def token(**content: object) -> str:
    full = {"v": "meta.k8s.io/v1", **content}
    return base64.urlsafe_b64encode(msgspec.json.encode(full)).rstrip(b"=").decode()


async def test_a_list_says_its_kind_and_version(server: APIServer) -> None:
    """Items of built-in kinds leave out what the list says; custom ones do not."""
    await fill(server, 1)
    await define(server)
    await make(server, FOOS, foo("a"))

    maps, foos = (await ask(server, "GET", MAPS)).obj, (await ask(server, "GET", FOOS)).obj

    assert (maps["kind"], maps["apiVersion"]) == ("ConfigMapList", "v1")
    assert "kind" not in maps["items"][0]
    assert (foos["kind"], foos["items"][0]["kind"]) == ("FooList", "Foo")
    assert maps["metadata"]["resourceVersion"] == str(server.store.revision)


async def test_pages_are_of_one_moment(server: APIServer) -> None:
    """What is made, changed or deleted between two pages is not seen in the second."""
    await fill(server, 5)
    first = await ask(server, "GET", f"{MAPS}?limit=2")
    await ask(server, "DELETE", f"{MAPS}/m3")
    await make(server, MAPS, "m35")

    going_on = first.obj["metadata"]["continue"]
    second = await ask(server, "GET", f"{MAPS}?limit=2&continue={going_on}")
    third = await ask(server, "GET", f"{MAPS}?continue={second.obj['metadata']['continue']}")

    assert [first.names, second.names, third.names] == [["m0", "m1"], ["m2", "m3"], ["m4"]]
    assert {answer.version for answer in (first, second, third)} == {first.version}
    assert [first.obj["metadata"]["remainingItemCount"], "continue" in third.obj["metadata"]] == [
        3,
        False,
    ]


async def test_pages_count_what_matches(server: APIServer) -> None:
    """How many remain is not told then: a real server does not know."""
    await fill(server, 6)

    page = await ask(server, "GET", f"{MAPS}?limit=2&labelSelector=odd=1")
    rest = await ask(
        server, "GET", f"{MAPS}?labelSelector=odd=1&continue={page.obj['metadata']['continue']}"
    )

    assert (page.names, rest.names) == (["m1", "m3"], ["m5"])
    assert "remainingItemCount" not in page.obj["metadata"]


async def test_an_expired_page_offers_another_way(server: APIServer) -> None:
    """Its token goes on with what is there now, inconsistent as that is."""
    await fill(server, 4)
    first = await ask(server, "GET", f"{MAPS}?limit=2")
    await ask(server, "DELETE", f"{MAPS}/m2")
    server.store.compact()

    gone = await ask(server, "GET", f"{MAPS}?continue={first.obj['metadata']['continue']}")
    rest = await ask(server, "GET", f"{MAPS}?continue={gone.obj['metadata']['continue']}")

    assert (gone.status, gone.obj["reason"]) == (410, "Expired")
    assert (rest.status, rest.names) == (200, ["m3"])


@pytest.mark.parametrize(
    "bad",
    [
        *("x", "!!!!", "e30", "bnVsbA", "W10", "%ff%fe", token(rv=1), token(rv=1, start=2)),
        *(token(rv=1, start=""), token(rv="1", start="a"), token(v="v9", rv=1, start="a")),
    ],
)
async def test_a_token_that_is_none_is_refused(server: APIServer, bad: str) -> None:
    """Whatever it decodes to."""
    answer = await ask(server, "GET", f"{MAPS}?continue={bad}")

    assert answer.status == 400
    assert answer.message.startswith("invalid continue token: continue key is not valid")


@pytest.mark.parametrize("limit", ["-1", "0", "100", "9223372036854775807"])
async def test_a_limit_that_does_not_bind_gives_all(server: APIServer, limit: str) -> None:
    """A negative one is none, also for an empty list."""
    await fill(server, 2)

    assert (await ask(server, "GET", f"{MAPS}?limit={limit}")).names == ["m0", "m1"]
    assert (await ask(server, "GET", f"{PODS}?limit={limit}")).names == []


async def test_the_past_can_be_listed_exactly(server: APIServer) -> None:
    """At a revision, or not older than one, or too old."""
    await fill(server, 2)
    then = str(server.store.revision)
    await ask(server, "DELETE", f"{MAPS}/m0")
    await ask(server, "PUT", f"{MAPS}/m1", {**named("m1"), "data": {"k": "v"}})

    exact = await ask(server, "GET", f"{MAPS}?resourceVersion={then}&resourceVersionMatch=Exact")
    newer = await ask(
        server, "GET", f"{MAPS}?resourceVersion={then}&resourceVersionMatch=NotOlderThan"
    )
    server.store.compact()
    gone = await ask(server, "GET", f"{MAPS}?resourceVersion={then}&resourceVersionMatch=Exact")

    assert (exact.names, exact.version) == (["m0", "m1"], then)
    assert "data" not in exact.obj["items"][1]
    assert newer.names == ["m1"]
    assert (gone.status, gone.obj["reason"]) == (410, "Expired")


@pytest.mark.parametrize(
    ("query", "code", "text"),
    [
        ("resourceVersion=x", 400, 'Invalid value: "x": strconv.ParseUint: parsing "x": invalid'),
        ("resourceVersion=-1", 400, "invalid syntax"),
        ("resourceVersion=1_0", 400, "invalid syntax"),
        ("resourceVersion=%D9%A3", 400, "invalid syntax"),
        ("resourceVersion=99999999999999999999", 400, "value out of range"),
        ("resourceVersion=999999", 504, "Timeout: Too large resource version: 999999, current:"),
        ("limit=x", 400, 'strconv.ParseInt: parsing "x": invalid syntax'),
        ("limit=1_0", 400, "invalid syntax"),
        ("limit=99999999999999999999", 400, "value out of range"),
        ("resourceVersionMatch=Exact", 422, "is forbidden unless resourceVersion is provided"),
        ("resourceVersion=0&resourceVersionMatch=Exact", 422, 'forbidden for resourceVersion "0"'),
        ("resourceVersion=1&resourceVersionMatch=x", 422, 'Unsupported value: "x"'),
        ("sendInitialEvents=true", 422, "sendInitialEvents is forbidden for list"),
        (f"continue={token(rv=2, start='a')}&resourceVersion=1", 400, "not allowed when using"),
        ("labelSelector=a%20in", 400, "unable to parse requirement"),
        ("fieldSelector=spec.x=1", 400, '"spec.x" is not a known field selector'),
        ("fieldSelector==", 400, ""),
    ],
)
async def test_parameters_that_make_no_sense_are_refused(
    server: APIServer, query: str, code: int, text: str
) -> None:
    """Each says what is wrong with it."""
    answer = await ask(server, "GET", f"{MAPS}?{query}")

    assert answer.status == code, answer.message
    assert text in answer.message


async def test_a_get_may_ask_for_freshness(server: APIServer) -> None:
    """A version that is not there yet is a matter of time; zero takes anything."""
    await make(server, MAPS, "a")

    answers = [
        await ask(server, "GET", f"{MAPS}/a?resourceVersion={version}")
        for version in ("0", str(server.store.revision), "999999", "x")
    ]

    assert [answer.status for answer in answers] == [200, 200, 504, 400]
    assert answers[2].obj["details"]["retryAfterSeconds"] == 1
    assert ("Retry-After", "1") in answers[2].headers


async def test_objects_are_found_by_labels_and_fields(server: APIServer) -> None:
    """Together they must both match."""
    await make(server, PODS, pod("a", labels={"app": "x"}))
    await make(server, PODS, pod("b", labels={"app": "x"}))
    await make(server, PODS, {**pod("c"), "spec": {**pod("c")["spec"], "nodeName": "n"}})
    queries = {
        "labelSelector=app": ["a", "b"],
        "labelSelector=app!=x": ["c"],
        "labelSelector=app in (x,y)&fieldSelector=metadata.name=b": ["b"],
        "fieldSelector=spec.nodeName=n": ["c"],
        "fieldSelector=spec.nodeName=,metadata.name!=a": ["b"],
        "fieldSelector=metadata.namespace=other": [],
        "labelSelector=&fieldSelector=": ["a", "b", "c"],
    }

    found = {query: (await ask(server, "GET", f"{PODS}?{query}")).names for query in queries}

    assert found == queries


async def test_huge_lists_are_paged_without_loss(server: APIServer) -> None:
    """Three thousand objects in pages of five hundred, each once."""
    storage = server.registry.groups[""]["v1"]["configmaps"].storage
    for number in range(3000):
        obj = {"apiVersion": "v1", "kind": "ConfigMap", **named(f"m{number:04}", namespace="big")}
        server.store.put(storage, obj)
    names: list[str] = []
    query = "limit=500"

    while query:
        page = await ask(server, "GET", f"/api/v1/namespaces/big/configmaps?{query}")
        names += page.names
        more = page.obj["metadata"].get("continue")
        query = f"limit=500&continue={more}" if more else ""

    assert names == [f"m{number:04}" for number in range(3000)]


async def test_a_continue_token_grows_old_though_nothing_of_its_own_changes(
    server: APIServer, clock: VirtualClock
) -> None:
    """As with etcd, which compacts all at once; the refusal has a token to go on with."""
    for name in "abc":
        await make(server, MAPS, name)
    first = await ask(server, "GET", f"{MAPS}?limit=1")
    page = f"{MAPS}?limit=1&continue={first.obj['metadata']['continue']}"
    await make(server, "/api/v1/namespaces", "other")
    await clock.advance(61)
    await make(server, "/api/v1/namespaces", "another")
    young = await ask(server, "GET", page)

    await clock.advance(301)
    old = await ask(server, "GET", page)
    again = await ask(server, "GET", f"{MAPS}?limit=1&continue={old.obj['metadata']['continue']}")

    assert (young.status, young.names) == (200, ["b"])
    assert (old.status, old.obj["reason"]) == (410, "Expired")
    assert again.names == ["b"]

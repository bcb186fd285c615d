"""The way of runs to the API server."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from kubewright import _json
from kubewright._aio import Clock
from kubewright._serve.messages import Request, Response, Stream
from kubewright.ansible.children import Children
from kubewright.ansible.dependents import Dependents
from kubewright.ansible.proxy.grant import Grant
from kubewright.ansible.proxy.owner import Owner
from kubewright.ansible.proxy.proxy import Proxy
from kubewright.cluster import Cluster
from kubewright.errors import TransportError
from kubewright.testing import EmbeddedServer
from tests.unit.ansible.stalls import SIGNS, ConfigMap, sign, watch

OWNER = Owner("example.com/v1", "Stall", "corner", "default", "1")


def request(
    grant: Grant | str, method: str, path: str, query: str = "", body: bytes = b""
) -> Request:
    """Return a request of a run."""
    token = grant if isinstance(grant, str) else grant.token
    headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
    return Request(method, path, query, headers, body)


@asynccontextmanager
async def granted(folder: Path) -> AsyncIterator[tuple[Proxy, Grant]]:
    """Yield a proxy, and the grant of a run."""
    async with EmbeddedServer() as server, server.client() as client:
        proxy = Proxy(Clock())
        children = Children(Dependents(watch(folder), Cluster(client)))
        yield proxy, proxy.grant(client, OWNER, children, inject_owners=True)


async def test_only_the_run_itself_is_let_in_and_only_while_it_lasts(tmp_path: Path) -> None:
    """Other users of the machine reach the port, too."""
    async with granted(tmp_path) as (proxy, grant):
        for token in ("", "guess"):
            answer = await proxy.handle(request(token, "GET", "/version"))
            assert isinstance(answer, Response)
            assert answer.status == 401
        inside = await proxy.handle(request(grant, "GET", "/version"))

        proxy.revoke(grant)
        after = await proxy.handle(request(grant, "GET", "/version"))

        assert isinstance(inside, Response)
        assert isinstance(after, Response)
        assert (inside.status, after.status) == (200, 401)


async def test_watches_are_passed_on_as_they_come(tmp_path: Path) -> None:
    """``wait: yes`` of a module looks at one."""
    async with granted(tmp_path) as (proxy, grant):
        answer = await proxy.handle(request(grant, "GET", SIGNS, "watch=true"))
        assert isinstance(answer, Stream)
        await grant.client.create(ConfigMap(metadata={"name": "new", "namespace": "default"}))

        async with asyncio.timeout(30):
            chunk = await anext(answer.chunks)

        assert _json.loads(chunk.splitlines()[0])["object"]["metadata"]["name"]
        await answer.chunks.aclose()  # type: ignore[attr-defined]  # it is a generator


async def test_what_is_made_is_noted_and_what_is_read(tmp_path: Path) -> None:
    """So that the first is watched, and the second looked at again; a dry run is neither."""
    async with granted(tmp_path) as (proxy, grant):
        await proxy.handle(request(grant, "POST", SIGNS, "dryRun=All", _json.encode(sign("dry"))))
        await proxy.handle(request(grant, "POST", SIGNS, "", _json.encode(sign())))
        await proxy.handle(request(grant, "GET", f"{SIGNS}/other"))

        assert [key.name for _, key in grant.children.known] == ["sign"]
        assert [one.path for one in grant.children.reads.values()] == [f"{SIGNS}/other"]
        await proxy.handle(request(grant, "DELETE", f"{SIGNS}/sign"))
        assert grant.children.known == {}


async def test_server_that_is_gone_is_told(tmp_path: Path) -> None:
    """The task fails with it, and not the proxy."""

    class Gone:
        async def send(self, request: object, *, timeout: float | None = None) -> Response:
            raise TransportError("cannot talk to it")

    async with granted(tmp_path) as (proxy, grant):
        grant.client.rest.transport = Gone()  # type: ignore[assignment]  # only what is needed

        answer = await proxy.handle(request(grant, "GET", "/version"))

        assert isinstance(answer, Response)
        assert answer.status == 502
        assert b"cannot talk to it" in answer.body


async def test_it_listens_with_a_certificate_of_its_own(tmp_path: Path) -> None:
    """Tools that send no token without TLS, such as kubectl and helm, work, too."""
    proxy = Proxy(Clock())
    task = asyncio.create_task(proxy.run())
    async with asyncio.timeout(30):
        await proxy.wait_ready()

    assert proxy.url.startswith("https://127.0.0.1:")
    assert proxy.certificate.startswith(b"-----BEGIN CERTIFICATE")
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


@pytest.mark.parametrize(
    ("path", "query"),
    [(SIGNS, "watch=true"), ("/api/v1/watch/namespaces/default/configmaps", "")],
    ids=["query", "path"],
)
async def test_watches_end_with_the_run(tmp_path: Path, path: str, query: str) -> None:
    """Also if somebody outside of it holds them open, and asks as old clients do."""
    async with granted(tmp_path) as (proxy, grant):
        answer = await proxy.handle(request(grant, "GET", path, query))
        assert isinstance(answer, Stream)
        reading = asyncio.ensure_future(drained(answer))
        await asyncio.sleep(0)

        proxy.revoke(grant)

        async with asyncio.timeout(5):
            await reading


async def drained(answer: Stream) -> None:
    """Read *answer* to its end."""
    async for _ in answer.chunks:
        pass


async def test_dry_deletion_forgets_nothing(tmp_path: Path) -> None:
    """Roles in check mode delete in this way."""
    async with granted(tmp_path) as (proxy, grant):
        await proxy.handle(request(grant, "POST", SIGNS, "", _json.encode(sign())))

        await proxy.handle(request(grant, "DELETE", f"{SIGNS}/sign", "dryRun=All"))

        assert [key.name for _, key in grant.children.known] == ["sign"]


async def test_what_is_seen_while_it_goes_is_forgotten_when_it_is_gone(tmp_path: Path) -> None:
    """``wait`` of a module reads it until it is; that it is gone is then no reason for a run."""
    async with granted(tmp_path) as (proxy, grant):
        held = {**sign(), "metadata": {"name": "sign", "finalizers": ["example.com/held"]}}
        await proxy.handle(request(grant, "POST", SIGNS, "", _json.encode(held)))
        await proxy.handle(request(grant, "DELETE", f"{SIGNS}/sign"))
        await proxy.handle(request(grant, "GET", f"{SIGNS}/sign"))
        await grant.client.patch(
            ConfigMap, "sign", {"metadata": {"finalizers": None}}, namespace="default"
        )

        await proxy.handle(request(grant, "GET", f"{SIGNS}/sign"))

        assert grant.children.known == {}


async def test_what_is_not_deleted_is_not_forgotten(tmp_path: Path) -> None:
    """A deletion may be refused, and one of many is for those with a label."""
    async with granted(tmp_path) as (proxy, grant):
        for name, labels in (("old", {"a": "b"}), ("sign", {})):
            metadata = {"name": name, "labels": labels}
            body = _json.encode({**sign(), "metadata": metadata})
            await proxy.handle(request(grant, "POST", SIGNS, "", body))

        wrong = _json.encode({"preconditions": {"uid": "another"}})
        await proxy.handle(request(grant, "DELETE", f"{SIGNS}/sign", "", wrong))
        await proxy.handle(request(grant, "DELETE", SIGNS, "labelSelector=a%3Db"))

        assert [key.name for _, key in grant.children.known] == ["sign"]


async def test_what_others_delete_while_the_role_runs_is_not_forgotten(tmp_path: Path) -> None:
    """The role may look for it, find nothing, and be content: it has to run again."""
    async with granted(tmp_path) as (proxy, grant):
        await proxy.handle(request(grant, "POST", SIGNS, "", _json.encode(sign())))
        await grant.client.delete(ConfigMap, "sign", namespace="default")

        await proxy.handle(request(grant, "GET", f"{SIGNS}/sign"))

        assert await grant.children.changed() == "ConfigMap default/sign"

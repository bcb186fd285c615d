import asyncio
import base64
import socket
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from kubewright._pki.authority import Authority
from kubewright.apiserver.admission.webhook_client import (
    Address,
    ClusterIPResolver,
    NoClusterResolver,
    WebhookClient,
    WebhookError,
)
from kubewright.apiserver.meta.names import GroupResource
from tests.unit._pki.test_trust import Party
from tests.unit.apiserver.admission.webhook_server import (
    Raw,
    WebhookServer,
    allow,
    authority,
    webhook_server,
)
from tests.unit.apiserver.memory_reader import MemoryReader

Obj = dict[str, Any]
SERVICES = GroupResource("", "services")
BODY = {"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "request": {"uid": "1"}}
BUNDLE = base64.b64encode(authority().certificate).decode()


@pytest.fixture
async def server() -> AsyncIterator[WebhookServer]:
    async with webhook_server() as found:
        yield found


@pytest.fixture
async def client() -> AsyncIterator[WebhookClient]:
    found = WebhookClient(ClusterIPResolver(MemoryReader()))
    yield found
    await found.close()


async def problem(client: WebhookClient, config: Obj, *, timeout: float = 5) -> str:
    with pytest.raises(WebhookError) as caught:
        await client.call(config, BODY, timeout=timeout)
    return str(caught.value)


async def test_connections_are_kept(server: WebhookServer, client: WebhookClient) -> None:
    """A handshake costs more than the whole call."""
    config = server.serve("x", allow)

    answers = [await client.call(config, BODY, timeout=5) for _ in range(3)]

    assert answers[2]["response"] == {"uid": "1", "allowed": True}
    assert server.connections == 1


async def test_a_call_survives_a_webhook_that_has_closed_its_connection(
    server: WebhookServer, client: WebhookClient
) -> None:
    """It may do so at any time between two calls."""
    config = server.serve("x", allow)
    await client.call(config, BODY, timeout=5)

    server.drop_connections()

    assert await client.call(config, BODY, timeout=5)


async def test_a_service_is_reached_under_its_own_name() -> None:
    """Its certificate is for the name inside of the cluster, wherever it runs."""
    async with webhook_server("hook.shop.svc") as server:
        server.serve("x", allow)

        class Here:
            def resolve(self, namespace: str, name: str, port: int) -> Address:
                return Address("127.0.0.1", server.port)

        client = WebhookClient(Here())
        service = {"namespace": "shop", "name": "hook", "path": "x"}

        answer = await client.call({"service": service, "caBundle": BUNDLE}, BODY, timeout=5)

        assert answer["response"]["allowed"] is True
        await client.close()


async def test_who_does_not_answer_in_time_is_given_up(
    server: WebhookServer, client: WebhookClient
) -> None:
    """The URL shows how long it had."""
    listener = socket.create_server(("127.0.0.1", 0))  # takes connections, and says nothing
    url = f"https://127.0.0.1:{listener.getsockname()[1]}"

    said = await problem(client, {"url": f"{url}/x", "caBundle": BUNDLE}, timeout=0.05)

    assert said == f'Post "{url}/x?timeout=50ms": context deadline exceeded'
    listener.close()


async def test_nobody_there_is_said_as_go_says_it(client: WebhookClient) -> None:
    """People search for these words."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

    said = await problem(client, {"url": f"https://127.0.0.1:{port}", "caBundle": BUNDLE})

    assert said == (
        f'Post "https://127.0.0.1:{port}/?timeout=5s": dial tcp 127.0.0.1:{port}: connect:'
        " connection refused"
    )


async def test_a_certificate_must_be_of_the_authority_and_for_the_name(
    client: WebhookClient, server: WebhookServer
) -> None:
    """Each mistake has its own words."""
    other = base64.b64encode(Authority("other").certificate).decode()
    said = await problem(client, {**server.config("x"), "caBundle": other})
    assert said.endswith(
        "tls: failed to verify certificate: x509: certificate signed by unknown authority"
    )

    async with webhook_server("example.com") as named:
        by_address = await problem(client, named.config("x"))
        url = f"https://localhost:{named.port}/x"
        by_name = await problem(client, {**named.config("x"), "url": url})

    assert by_address.endswith(
        "x509: cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs"
    )
    assert by_name.endswith("x509: certificate is valid for example.com, not localhost")


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Raw(404, "nix"), "the server could not find the requested resource"),
        (Raw(403, "no way"), "no way"),
        (
            Raw(500, '{"a": 1}', "application/json"),
            'an error on the server ("unknown") has prevented the request from succeeding',
        ),
        (
            Raw(500, '{"kind": "Status", "message": "own words"}', "application/json"),
            "own words",
        ),
        (
            Raw(200, "", "application/json"),
            "0-length response with status code: 200 and content type: application/json",
        ),
        (
            Raw(200, "[]"),
            (
                "couldn't get version/kind; json parse error: json: cannot unmarshal array into Go"
                ' value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind'
                ' string "json:\\"kind,omitempty\\"" }'
            ),
        ),
    ],
)
async def test_an_answer_that_is_none_is_explained(
    server: WebhookServer, client: WebhookClient, answer: Raw, said: str
) -> None:
    """As the real server explains it."""
    assert await problem(client, server.serve("x", lambda request: answer)) == said


@pytest.mark.parametrize(
    ("service", "said"),
    [
        (None, 'service "hook" not found'),
        ({"clusterIP": "10.0.0.1", "ports": []}, 'no service port 443 found for service "hook"'),
        ({"type": "Strange"}, 'unsupported service type "Strange"'),
    ],
)
async def test_a_service_that_cannot_be_found_is_explained(service: Obj | None, said: str) -> None:
    """The URL is the one inside of the cluster."""
    reader = MemoryReader()
    if service is not None:
        metadata = {"name": "hook", "namespace": "shop"}
        reader.put(SERVICES, {"metadata": metadata, "spec": service})
    client = WebhookClient(ClusterIPResolver(reader))
    config = {"service": {"namespace": "shop", "name": "hook", "path": "/p"}}

    assert await problem(client, config) == (
        f'Post "https://hook.shop.svc:443/p?timeout=5s": {said}'
    )


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({}, "webhook configuration must have either service or URL"),
        (
            {"url": "https://127.0.0.1:1/", "caBundle": "bm9uZQ=="},
            "unable to load root certificates: unable to parse bytes as PEM block",
        ),
    ],
)
async def test_a_configuration_that_leads_nowhere_is_explained(
    client: WebhookClient, config: Obj, said: str
) -> None:
    """Validation lets some of them through."""
    assert await problem(client, config) == said


def test_without_a_cluster_only_external_services_are_found() -> None:
    """A cluster address may be somebody else's on this machine's network."""
    reader = MemoryReader()
    for name, spec in (
        ("inside", {"clusterIP": "10.96.0.7", "ports": [{"port": 443}]}),
        ("outside", {"type": "ExternalName", "externalName": "localhost"}),
    ):
        reader.put(SERVICES, {"metadata": {"name": name, "namespace": "shop"}, "spec": spec})
    resolver = NoClusterResolver(reader)

    assert resolver.resolve("shop", "outside", 8443) == Address("localhost", 8443)
    with pytest.raises(LookupError, match="give the webhook a url"):
        resolver.resolve("shop", "inside", 443)


async def test_a_certificate_may_bear_the_name_of_its_issuer(
    client: WebhookClient, tmp_path: Path
) -> None:
    """Go's library makes such certificates, and kube-apiserver takes them."""
    root = Party("same")
    server, context = WebhookServer(), Party("same", root, ca=False).serving(tmp_path)
    listener = await asyncio.start_server(server.talk, "127.0.0.1", 0, ssl=context)
    server.port = listener.sockets[0].getsockname()[1]
    server.serve("x", allow)
    bundle = base64.b64encode(root.pem.encode()).decode()
    config = {"url": f"https://localhost:{server.port}/x", "caBundle": bundle}

    answer = await client.call(config, BODY, timeout=5)

    assert answer["response"]["allowed"] is True
    listener.close()
    server.drop_connections()
    await server.wait_until_left()

"""The metrics page of a manager with ``metrics_secure``: the server says who may read it."""

import asyncio
import http.client
import ssl
import time
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

import kubewright as kw
from kubewright.client import Client
from tests.conformance.wire import OwnServer, Wire

RBAC = "/apis/rbac.authorization.k8s.io/v1"
REVIEWS = "/apis/authorization.k8s.io/v1/subjectaccessreviews"


def ask(url: str, token: str | None) -> tuple[int, bytes]:
    """Return the status and the body of the page."""
    anybody = ssl.create_default_context()
    anybody.check_hostname, anybody.verify_mode = False, ssl.CERT_NONE  # it is made at the start
    at = urlsplit(url)
    connection = http.client.HTTPSConnection(str(at.hostname), at.port, timeout=15, context=anybody)
    try:
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        connection.request("GET", "/metrics", headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def make_account(api: Wire, namespace: str, name: str) -> str:
    """Make a service account, and return a token of it."""
    path = f"/api/v1/namespaces/{namespace}/serviceaccounts"
    api.post(path, {"metadata": {"name": name}}).ok(201)
    made: str = api.post(f"{path}/{name}/token", {"spec": {}}).ok(201)["status"]["token"]
    return made


@pytest.fixture
def scraper(api: Wire, namespace: str) -> Iterator[str]:
    """The token of an account that may read metrics."""
    token, name = make_account(api, namespace, "scraper"), f"metrics-{namespace}"
    rule = {"nonResourceURLs": ["/metrics"], "verbs": ["get"]}
    api.post(f"{RBAC}/clusterroles", {"metadata": {"name": name}, "rules": [rule]}).ok(201)
    binding = {
        "metadata": {"name": name},
        "roleRef": {"apiGroup": RBAC.split("/")[2], "kind": "ClusterRole", "name": name},
        "subjects": [{"kind": "ServiceAccount", "name": "scraper", "namespace": namespace}],
    }
    api.post(f"{RBAC}/clusterrolebindings", binding).ok(201)
    wait_until_allowed(api, f"system:serviceaccount:{namespace}:scraper")
    yield token
    api.delete(f"{RBAC}/clusterrolebindings/{name}").ok()
    api.delete(f"{RBAC}/clusterroles/{name}").ok()


def wait_until_allowed(api: Wire, user: str) -> None:
    """Wait until the server knows of the binding: the page would keep an early refusal."""
    spec = {"user": user, "nonResourceAttributes": {"path": "/metrics", "verb": "get"}}
    deadline = time.monotonic() + 10
    while not (found := api.post(REVIEWS, {"spec": spec}).ok(201))["status"]["allowed"]:
        assert time.monotonic() < deadline, found
        time.sleep(0.05)


async def test_only_an_account_with_the_right_reads_the_metrics(
    client: Client, api: Wire, namespace: str, scraper: str
) -> None:
    """Prometheus has a role for it; any other pod must not learn what the operator does."""
    stranger = make_account(api, namespace, "stranger")
    manager = kw.Manager(
        kw.Cluster(client), metrics_bind_address="127.0.0.1:0", metrics_secure=True
    )

    async with manager:
        url = str(manager.metrics_url)
        seen, refused, unknown, nobody = [
            await asyncio.to_thread(ask, url, token) for token in (scraper, stranger, "x.y.z", None)
        ]

    assert url.startswith("https://")
    assert (seen[0], refused[0], unknown[0], nobody[0]) == (200, 403, 401, 401)
    assert b"# TYPE rest_client_requests_total counter" in seen[1]
    assert b"stranger may not get the nonResourceURL /metrics" in refused[1]


async def test_an_operator_without_the_right_to_ask_shows_nothing(
    own_server: OwnServer, scraper: str
) -> None:
    """Whoever may read; and not why it shows nothing."""
    async with Client(own_server.config(own_server.nobody)) as client:
        manager = kw.Manager(
            kw.Cluster(client), metrics_bind_address="127.0.0.1:0", metrics_secure=True
        )
        async with manager:
            answer = await asyncio.to_thread(ask, str(manager.metrics_url), scraper)

    assert answer == (500, b"500 internal server error\n")

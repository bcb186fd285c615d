"""What every other conformance test takes for granted about its server."""

import secrets
from functools import partial

import pytest

from kubewright.client import Client
from kubewright.errors import ForbiddenError
from kubewright.kinds.core.v1 import Namespace
from kubewright.testing import Server, User, probe
from tests.conformance.wire import OwnServer


def test_the_administrator_may_do_everything(server: Server) -> None:
    """Without this no later failure means what it says."""
    review = {
        "kind": "SelfSubjectAccessReview",
        "apiVersion": "authorization.k8s.io/v1",
        "spec": {"resourceAttributes": {"verb": "*", "resource": "*", "group": "*"}},
    }

    path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
    answer = probe.ask(server, "POST", path, body=review)

    assert answer.json()["status"]["allowed"] is True


def test_a_namespace_is_new_and_active(server: Server, namespace: str) -> None:
    """Tests share a server and must not meet in one namespace."""
    found = probe.ask(server, "GET", f"/api/v1/namespaces/{namespace}").json()

    assert found["status"]["phase"] == "Active"


def test_a_reader_reads_and_does_not_write(own_server: OwnServer, namespace: str) -> None:
    """Tests of 403 rest on a user whose rights are known."""
    path = f"/api/v1/namespaces/{namespace}/configmaps"
    body = {"metadata": {"name": "x"}}
    ask = partial(probe.request, own_server.url, user=own_server.reader, ca_data=own_server.ca_data)

    read = ask("GET", path)
    write = ask("POST", path, body=body)

    assert (read.status, write.status) == (200, 403)


def test_nobody_is_known_and_has_no_rights(own_server: OwnServer) -> None:
    """A 403 differs from a 401 by this: the server knows who asks."""
    ask = partial(probe.request, own_server.url, "GET", "/api/v1/pods", ca_data=own_server.ca_data)

    known = ask(user=own_server.nobody)
    unknown = ask(user=User("stranger", token=secrets.token_hex(16)))

    assert (known.status, unknown.status) == (403, 401)


def test_a_user_added_later_logs_in_with_a_certificate(own_server: OwnServer) -> None:
    """Tests of client certificates get their user from here."""
    jane = own_server.add_user("jane", ["system:masters"])

    answer = probe.request(
        own_server.url, "GET", "/api/v1/namespaces", user=jane, ca_data=own_server.ca_data
    )

    assert answer.status == 200


async def test_a_client_is_whom_the_configuration_says(own_server: OwnServer) -> None:
    """Tests of rights make a client for each user in this way."""
    jane = own_server.add_user("jane")

    async with (
        Client(own_server.config(own_server.reader)) as reader,
        Client(own_server.config(jane)) as client,
    ):
        names = [found.metadata.name async for found in reader.list(Namespace)]
        with pytest.raises(ForbiddenError, match='User "jane"'):
            await client.get(Namespace, "default")

    assert "default" in names


def test_compaction_makes_old_continue_tokens_gone(own_server: OwnServer, namespace: str) -> None:
    """Tests of 410 make one happen in this way."""
    path = f"/api/v1/namespaces/{namespace}/configmaps"
    for name in ("a", "b"):
        probe.ask(own_server, "POST", path, body={"metadata": {"name": name}})
    page = probe.ask(own_server, "GET", f"{path}?limit=1").json()
    probe.ask(own_server, "POST", path, body={"metadata": {"name": "c"}})

    own_server.compact()
    rest = probe.ask(own_server, "GET", f"{path}?limit=1&continue={page['metadata']['continue']}")

    assert rest.status == 410


@pytest.mark.controllers
def test_controllers_make_the_default_service_account(server: Server, namespace: str) -> None:
    """The mark ``controllers`` gives a server on which controllers run."""
    path = f"/api/v1/namespaces/{namespace}/serviceaccounts"

    # The server itself waits: each of these watches ends after a second.
    watches = (probe.ask(server, "GET", f"{path}?watch=true&timeoutSeconds=1") for _ in range(10))

    assert any(b'"name":"default"' in watch.body for watch in watches)


@pytest.mark.since("9.9", reason="no such version: this shows that the mark skips")
def test_since_skips_with_a_reason() -> None:
    """A skipped test is counted and explained; this body must never run."""
    pytest.fail("the mark did not skip")

"""Paths that are no resources."""

import pytest

from kubewright.apiserver.server import APIServer
from tests.unit.apiserver.asking import ask, define


@pytest.mark.parametrize("path", ["/healthz", "/livez", "/readyz", "/readyz/ping", "/livez/etcd/"])
async def test_health_is_ok_in_plain_text(server: APIServer, path: str) -> None:
    """Probes look at the code, people at the text."""
    answer = await ask(server, "GET", path)

    assert (answer.status, answer.body) == (200, b"ok")
    assert answer.content_type.startswith("text/plain")


async def test_health_tells_its_checks_when_asked(server: APIServer) -> None:
    """Line by line; a check that does not exist is not there."""
    answer = await ask(server, "GET", "/readyz?verbose")

    lines = answer.body.decode().splitlines()
    assert lines[0] == "[+]ping ok"
    assert lines[-1] == "readyz check passed"
    assert (await ask(server, "GET", "/readyz/none")).status == 404


async def test_the_version_is_that_which_we_behave_like(server: APIServer) -> None:
    """Clients choose by it what they send."""
    found = (await ask(server, "GET", "/version")).obj

    assert (found["major"], found["minor"]) == ("1", "37")
    assert found["gitVersion"].startswith("v1.37.")


async def test_the_root_lists_the_paths(server: APIServer) -> None:
    """Also where nothing is found; definitions add theirs."""
    await define(server)

    root, none = await ask(server, "GET", "/"), await ask(server, "GET", "/none")

    assert {"/api", "/apis/apps/v1", "/apis/example.com/v1", "/openapi/v3"} <= set(
        root.obj["paths"]
    )
    assert root.obj["paths"] == sorted(root.obj["paths"])
    assert (none.status, none.obj) == (404, root.obj)


async def test_keys_for_tokens_are_public(server: APIServer) -> None:
    """Others verify tokens of this cluster by them."""
    configuration = (await ask(server, "GET", "/.well-known/openid-configuration")).obj
    keys = (await ask(server, "GET", "/openid/v1/jwks")).obj["keys"]

    assert "issuer" in configuration
    assert keys[0]["kty"] in ("RSA", "EC")


@pytest.mark.parametrize("path", ["/api", "/apis"])
@pytest.mark.parametrize("version", ["v2", "v2beta1"])
async def test_discovery_says_in_which_format_it_is(
    server: APIServer, path: str, version: str
) -> None:
    """A client that asked for the newer one must know that it got it."""
    form = f"application/json;g=apidiscovery.k8s.io;v={version};as=APIGroupDiscoveryList"

    answer = await ask(server, "GET", path, accept=f"{form},application/json")
    older = await ask(server, "GET", path, accept="application/json")

    assert (answer.status, answer.content_type) == (200, form)
    assert answer.obj["apiVersion"] == f"apidiscovery.k8s.io/{version}"
    assert older.obj["kind"] in ("APIVersions", "APIGroupList")


async def test_discovery_of_one_group_or_version(server: APIServer) -> None:
    """With or without a slash at the end."""
    group = await ask(server, "GET", "/apis/apps/")
    version = await ask(server, "GET", "/apis/apps/v1/")
    core = await ask(server, "GET", "/api/v1")

    assert (group.obj["kind"], group.obj["name"]) == ("APIGroup", "apps")
    assert version.obj["groupVersion"] == "apps/v1"
    assert "pods/log" in [one["name"] for one in core.obj["resources"]]
    assert (await ask(server, "GET", "/api/v2")).status == 404
    assert (await ask(server, "GET", "/apis/apps/v9")).status == 404

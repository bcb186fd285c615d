from pathlib import Path

import pytest

from kubewright.api import ObjectMeta
from kubewright.client import Client
from kubewright.errors import ConfigError, ForbiddenError, GoneError, LifecycleError
from kubewright.kinds.core.v1 import ConfigMap, Namespace
from kubewright.testing import EmbeddedServer, Server, User, probe


def config_map(name: str) -> ConfigMap:
    return ConfigMap(metadata=ObjectMeta(name=name, namespace="default"), data={"k": "v"})


def test_it_answers_without_an_event_loop() -> None:
    """Code that is not asynchronous, and kubectl, can use it."""
    with EmbeddedServer() as server:
        same: Server = server
        known = probe.ask(same, "GET", "/api/v1/namespaces/default")
        stranger = User("stranger", token="wrong")
        unknown = probe.request(server.url, "GET", "/api", user=stranger, ca_data=server.ca_data)

        assert server.kubeconfig_file.exists()
        assert server.ca_file.read_bytes() == server.ca_data
        folder = server.folder
    assert (known.status, unknown.status) == (200, 401)
    assert not folder.exists()


async def test_in_the_event_loop_a_client_needs_no_network() -> None:
    """And one over the network sees the same."""
    async with EmbeddedServer() as server, server.client() as inside:
        await inside.create(config_map("a"))
        async with Client(server.config()) as outside:
            found = await outside.get(ConfigMap, "a")

    assert found.data == {"k": "v"}


async def test_a_client_of_a_server_in_a_thread_is_an_ordinary_one() -> None:
    """The two event loops must not touch one another."""
    with EmbeddedServer() as server:
        async with server.client(namespace="kube-system") as client:
            assert (await client.get(Namespace, "default")).metadata.name == "default"
            assert client.namespace == "kube-system"


async def test_the_three_users_have_the_rights_of_their_names() -> None:
    """A test of permissions needs a user without any."""
    async with EmbeddedServer() as server:
        async with server.client() as admin:
            await admin.create(config_map("a"))
        async with server.client(server.reader) as reader:
            await reader.get(ConfigMap, "a")
            with pytest.raises(ForbiddenError):
                await reader.delete(ConfigMap, "a")
        async with server.client(server.nobody) as nobody:
            with pytest.raises(ForbiddenError):
                await nobody.get(ConfigMap, "a")


async def test_a_data_folder_may_be_text(tmp_path: Path) -> None:
    """As everywhere in Python; certificates are kept there, too."""
    async with EmbeddedServer(data_dir=str(tmp_path)) as server:
        ca_data = server.ca_data

    assert (tmp_path / "pki" / "ca.crt").read_bytes() == ca_data


async def test_a_new_user_has_a_certificate() -> None:
    """Their name and groups are in it."""
    async with EmbeddedServer() as server:
        jane = server.add_user("jane", ["system:masters"])
        robot = server.add_user("robot")

        async with server.client(jane) as client:
            await client.get(Namespace, "default")
        async with server.client(robot) as client:
            with pytest.raises(ForbiddenError, match="robot"):
                await client.get(Namespace, "default")


@pytest.mark.parametrize("threaded", [True, False])
async def test_history_can_be_forgotten(*, threaded: bool) -> None:
    """A test of what a controller does after 410 cannot wait five minutes."""
    server = EmbeddedServer()
    if threaded:
        server.start()
    else:
        await server.__aenter__()
    try:
        async with server.client() as client:
            first = await client.create(config_map("a"))
            await client.create(config_map("b"))
            assert server.compact() > int(first.metadata.resource_version)
            watch = client.watch(ConfigMap, resource_version=first.metadata.resource_version)
            with pytest.raises(GoneError):
                await anext(aiter(watch))
    finally:
        if threaded:
            server.stop()
        else:
            await server.__aexit__(None, None, None)


def test_objects_can_be_kept(tmp_path: Path) -> None:
    """A test of a restart needs one."""
    body = {"metadata": {"name": "kept"}}
    with EmbeddedServer(data_dir=tmp_path) as server:
        probe.ask(server, "POST", "/api/v1/namespaces", body=body)

    with EmbeddedServer(data_dir=tmp_path) as server:
        assert probe.ask(server, "GET", "/api/v1/namespaces/kept").status == 200


def test_a_start_that_fails_is_said_where_it_was_asked_for(tmp_path: Path) -> None:
    """Not in a thread that nobody looks at; and it can be tried again."""
    (tmp_path / "file").touch()
    server = EmbeddedServer(data_dir=tmp_path / "file")

    with pytest.raises(ConfigError):
        server.start()
    with pytest.raises(LifecycleError, match="does not run"):
        _ = server.url


def test_it_runs_once_at_a_time() -> None:
    """But again after a stop."""
    server = EmbeddedServer()
    with server, pytest.raises(LifecycleError, match="runs already"):
        server.start()

    with server:
        assert server.url

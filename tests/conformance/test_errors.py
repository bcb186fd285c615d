"""What goes wrong on the first day, and what is said about it."""

import asyncio
import json
import stat
from pathlib import Path

import pytest

from kubewright.client import Client, Config
from kubewright.client.config import Impersonation, TLSConfig
from kubewright.errors import (
    ForbiddenError,
    KubewrightError,
    NoMatchError,
    NotFoundError,
    TransportError,
    UnauthorizedError,
)
from kubewright.kinds.core.v1 import ConfigMap, Secret
from kubewright.testing import Server
from tests.conformance.objects import config_map
from tests.conformance.wire import OwnServer


@pytest.fixture
def config(server: Server, namespace: str) -> Config:
    """The administrator's configuration, to be broken by each test in its own way."""
    return Config.from_kubeconfig(server.kubeconfig_file).replace(namespace=namespace)


class Plugin:
    """An exec plugin that prints whatever is in a file beside it."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "plugin"
        self._answer = folder / "answer"
        self.path.write_text(f"#!/bin/sh\ncat '{self._answer}'\n")
        self.path.chmod(stat.S_IRWXU)

    def give(self, token: str) -> None:
        """Answer with *token* from now on."""
        credential = {
            "apiVersion": "client.authentication.k8s.io/v1",
            "kind": "ExecCredential",
            "status": {"token": token},
        }
        self._answer.write_text(json.dumps(credential))

    def config(self, config: Config) -> Config:
        """Return *config* with this plugin in place of its token, as a kubeconfig has it."""
        user = {
            "exec": {
                "apiVersion": "client.authentication.k8s.io/v1",
                "command": str(self.path),
                "interactiveMode": "Never",
            }
        }
        document = {
            "current-context": "c",
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
            "clusters": [{"name": "c", "cluster": {"server": config.url}}],
            "users": [{"name": "u", "user": user}],
        }
        loaded = Config.from_kubeconfig(document)
        return loaded.replace(namespace=config.namespace, tls=config.tls)


async def test_a_missing_right_prints_the_rule_to_add(
    own_server: OwnServer, namespace: str
) -> None:
    """The first deploy of every operator meets it, so the message is the fix."""
    config = own_server.config(own_server.reader).replace(namespace=namespace)

    async with Client(config) as client:
        with pytest.raises(ForbiddenError) as caught:
            await client.create(config_map("a"))

    said = str(caught.value)
    assert said.startswith(f"cannot create configmaps in namespace '{namespace}': ")
    assert 'User "reader" cannot create resource "configmaps"' in said
    assert said.endswith(
        "\nAdd this rule to the operator's Role:"
        '\n  - apiGroups: [""]'
        '\n    resources: ["configmaps"]'
        '\n    verbs: ["create"]'
    )


async def test_a_missing_right_to_watch_is_told_as_well(
    own_server: OwnServer, namespace: str
) -> None:
    """A stream that is refused says why, like any request."""
    config = own_server.config(own_server.nobody).replace(namespace=namespace)

    async with (
        Client(config) as client,
        client.watch(Secret, namespace=namespace, resource_version="1") as watch,
    ):
        with pytest.raises(ForbiddenError, match=r'verbs: \["list", "watch"\]'):
            await anext(aiter(watch))


async def test_a_token_that_has_expired_is_told_to_be_renewed(config: Config) -> None:
    """The server says only Unauthorized."""
    async with Client(config.replace(token="expired")) as client:
        with pytest.raises(UnauthorizedError, match="may have expired: log in again"):
            await client.get(ConfigMap, "a")


async def test_a_certificate_of_another_authority_is_refused(config: Config) -> None:
    """Without this check anybody in between could read every Secret."""
    async with Client(config.replace(tls=TLSConfig())) as client:
        with pytest.raises(TransportError, match=r"(?i)certificate") as caught:
            await client.get(ConfigMap, "a")

    assert "certificate-authority" in str(caught.value)


async def test_a_certificate_for_another_name_is_refused(config: Config) -> None:
    """The message names the setting that may be meant."""
    tls = TLSConfig(ca_data=config.tls.ca_data, server_name="elsewhere.example.com")

    async with Client(config.replace(tls=tls)) as client:
        with pytest.raises(TransportError, match="tls-server-name"):
            await client.get(ConfigMap, "a")


async def test_verification_can_be_switched_off_on_purpose(config: Config) -> None:
    """For a throw-away cluster, and only when asked for."""
    async with Client(config.replace(tls=TLSConfig(insecure=True))) as client:
        assert await client.find(ConfigMap, "a") is None


async def test_an_object_of_ten_megabytes_is_refused_with_a_reason(client: Client) -> None:
    """Kubernetes stops at about one; the client must survive being told so early."""
    with pytest.raises(KubewrightError) as caught:
        await client.create(config_map("a", k="x" * 10_000_000))

    assert "cannot create configmaps" in str(caught.value)
    assert await client.find(ConfigMap, "a") is None


async def test_an_object_just_within_the_limit_is_stored_and_read(client: Client) -> None:
    """Near a megabyte, written and read in one piece."""
    await client.create(config_map("a", k="é" * 500_000))

    found = await client.get(ConfigMap, "a")

    assert found.data["k"] == "é" * 500_000


async def test_an_exec_plugin_logs_in(config: Config, tmp_path: Path) -> None:
    """As every managed cluster does it."""
    assert config.token
    plugin = Plugin(tmp_path)
    plugin.give(config.token)

    async with Client(plugin.config(config)) as client:
        assert await client.find(ConfigMap, "a") is None


async def test_an_exec_plugin_is_asked_again_when_its_token_is_refused(
    config: Config, tmp_path: Path
) -> None:
    """A token may be revoked long before it expires."""
    assert config.token
    plugin = Plugin(tmp_path)
    plugin.give("revoked")

    async with Client(plugin.config(config)) as client:
        with pytest.raises(UnauthorizedError):
            await client.get(ConfigMap, "a")
        plugin.give(config.token)
        assert await client.find(ConfigMap, "a") is None


async def test_an_exec_plugin_that_fails_shows_what_it_said(config: Config, tmp_path: Path) -> None:
    """Its own message is the one that helps."""
    plugin = Plugin(tmp_path)
    plugin.path.write_text("#!/bin/sh\necho 'please run: cloud login' >&2\nexit 3\n")

    async with Client(plugin.config(config)) as client:
        with pytest.raises(KubewrightError, match="please run: cloud login"):
            await client.get(ConfigMap, "a")


async def test_a_kind_that_the_server_does_not_have_is_named(client: Client) -> None:
    """With what comes close to it, since most are typing mistakes."""
    with pytest.raises(NoMatchError, match="deploymnets") as caught:
        await client.get("deploymnets", "a")

    assert "deployments" in str(caught.value)


async def test_a_path_that_the_server_does_not_have_is_not_found(client: Client) -> None:
    """A class for a CRD that is not installed ends there, too."""
    with pytest.raises(NotFoundError, match="could not find the requested resource"):
        await client.subresource("nothing").get(ConfigMap, "a")


async def test_impersonation_acts_as_another(own_server: OwnServer, namespace: str) -> None:
    """Rights are those of who is impersonated."""
    impersonation = Impersonation(user="reader")
    config = Config.load(own_server.kubeconfig_file, impersonate=impersonation)

    async with Client(config.replace(namespace=namespace)) as client:
        assert await client.find(ConfigMap, "a") is None
        with pytest.raises(ForbiddenError, match='User "reader"'):
            await client.create(config_map("a"))


async def test_many_requests_at_once_are_all_answered(client: Client) -> None:
    """The pool grows and shrinks; nothing is mixed up between connections."""
    await asyncio.gather(*(client.create(config_map(f"a{n}", n=str(n))) for n in range(100)))

    found = await asyncio.gather(*(client.get(ConfigMap, f"a{n}") for n in range(100)))

    assert [one.data["n"] for one in found] == [str(n) for n in range(100)]

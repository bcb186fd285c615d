import base64
import json
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from kubewright._aio import VirtualClock
from kubewright.client.auth import Impersonation, StaticCredentials, TokenFileCredentials
from kubewright.client.config import Config, ExecConfig, TLSConfig, default_user_agent
from kubewright.client.exec_plugin import ExecCredentials
from kubewright.client.kubeconfig import Entry
from kubewright.errors import ConfigError

PLUGIN = ExecConfig(command="plugin", args=("--password", "hunter2"), env=(("A", "hunter2"),))


@pytest.mark.parametrize(
    ("server", "tls", "url"),
    [
        ("https://api:6443", TLSConfig(), "https://api:6443"),
        ("https://api:6443/", TLSConfig(), "https://api:6443"),
        ("https://api/k8s/clusters/c-1/?a=1#b", TLSConfig(), "https://api/k8s/clusters/c-1"),
        ("HTTPS://api", TLSConfig(), "https://api"),
        ("api:8080", TLSConfig(), "http://api:8080"),
        ("api", TLSConfig(), "http://api"),
        ("api:6443", TLSConfig(insecure=True), "https://api:6443"),
        ("api:6443", TLSConfig(ca_data=b"CA"), "https://api:6443"),
        ("[::1]:6443", TLSConfig(ca_file="/ca"), "https://[::1]:6443"),
        ("localhost:6443", TLSConfig(cert_file="/c", key_file="/k"), "https://localhost:6443"),
    ],
)
def test_a_server_is_a_url_or_a_host(server: str, tls: TLSConfig, url: str) -> None:
    """Without a scheme it is https exactly where TLS was set up, as in client-go."""
    assert Config(server=server, tls=tls).url == url


@pytest.mark.parametrize(
    ("server", "problem"),
    [
        ("", "there is no host in it"),
        ("https://", "there is no host in it"),
        ("https://a b", "there is no host in it"),
        ("ftp://a", "its scheme is 'ftp'"),
        ("api/prefix", "it has a path but no scheme"),
        ("https://a:port", "Port could not be cast"),
        ("https://a:99999", "Port out of range"),
        ("https://[::1", "Invalid IPv6 URL"),
    ],
)
def test_what_is_no_server_says_why(server: str, problem: str) -> None:
    """The first request would fail with something darker."""
    with pytest.raises(ConfigError) as caught:
        Config(server=server)

    assert problem in str(caught.value)
    assert str(caught.value).endswith(
        "It must be a URL such as https://10.0.0.1:6443, or host:port."
    )


def test_a_password_in_the_server_is_refused_and_not_shown() -> None:
    """It would end up in logs and in the arguments of plugins."""
    with pytest.raises(ConfigError) as caught:
        Config(server="https://me:hunter2@api")

    assert "hunter2" not in str(caught.value)


def test_contradictions_are_refused_when_the_config_is_made() -> None:
    """Not at the first request, which may be hours later."""
    with pytest.raises(ConfigError, match="both a token and a user name"):
        Config(server="a", token="t", username="u")
    with pytest.raises(ConfigError, match="both to skip TLS verification and"):
        Config(server="a", tls=TLSConfig(insecure=True, ca_data=b"CA"))
    with pytest.raises(ConfigError, match="a client certificate but no key"):
        Config(server="a", tls=TLSConfig(cert_data=b"C"))
    with pytest.raises(ConfigError, match="a client key but no certificate"):
        Config(server="a", tls=TLSConfig(key_data=b"K"))
    with pytest.raises(ConfigError, match="without a user"):
        Config(server="a").replace(impersonate=Impersonation(user="", uid="7"))


def test_no_secret_is_shown() -> None:
    """A repr ends in a log; rich prints through its own method."""
    config = Config(
        server="https://api",
        token="hunter2",
        tls=TLSConfig(cert_data=b"hunter2", key_data=b"hunter2"),
        exec=PLUGIN,
    )
    basic = Config(server="https://api", username="me", password="hunter2")

    shown = [repr(config), str(config), repr(basic), str(config.__rich_repr__())]
    shown += [str(config.tls.__rich_repr__()), str(PLUGIN.__rich_repr__()), f"{PLUGIN}"]
    connection = config.replace(proxy_url="http://me:hunter2@proxy:3128").connection()
    shown += [repr(connection), str(connection.__rich_repr__())]
    entry = Entry("user", "me", {"token": "hunter2"})
    shown += [repr(entry), str(entry.__rich_repr__())]

    assert not [text for text in shown if "hunter2" in text]
    assert repr(basic) == "Config(server='https://api', username='me', password=***)"


def test_rate_limits_are_off_by_default() -> None:
    """As in controller-runtime: the server's own priority and fairness does it better."""
    assert Config(server="a").qps < 0


async def test_credentials_are_chosen_as_client_go_does(tmp_path: Path) -> None:
    """A token file wins over a token, and an exec plugin runs only where nothing else is."""
    clock = VirtualClock()
    file = tmp_path / "token"
    certificate = TLSConfig(cert_data=b"C", key_data=b"K")

    kinds = [
        type(config.credentials(clock))
        for config in (
            Config(server="a", token="t", token_file=str(file), exec=PLUGIN),
            Config(server="a", token="t", exec=PLUGIN),
            Config(server="a", username="u", exec=PLUGIN),
            Config(server="a", exec=PLUGIN, tls=certificate),
            Config(server="a", exec=PLUGIN),
        )
    ]

    assert kinds == [
        TokenFileCredentials,
        StaticCredentials,
        StaticCredentials,
        StaticCredentials,
        ExecCredentials,
    ]


def test_impersonation_goes_with_every_kind_of_credentials() -> None:
    """Otherwise requests would silently run as ourselves."""
    acting = Impersonation(user="jane")
    clock = VirtualClock()

    anonymous = Config(server="a", impersonate=acting).credentials(clock).static
    token = Config(server="a", token="t", impersonate=acting).credentials(clock).static
    basic = Config(server="a", username="u", impersonate=acting).credentials(clock).static

    assert anonymous == (("Impersonate-User", "jane"),)
    assert token == (("Authorization", "Bearer t"), ("Impersonate-User", "jane"))
    assert basic == (("Authorization", "Basic dTo="), ("Impersonate-User", "jane"))


def test_the_proxy_of_the_config_wins_over_the_environment() -> None:
    """proxy-url of a cluster is more precise than HTTPS_PROXY of the machine."""
    env = {"HTTPS_PROXY": "http://env:1", "NO_PROXY": "*"}
    config = Config(server="https://api", proxy_url="http://own:2")

    assert config.find_proxy(env) == "http://own:2"
    assert config.replace(proxy_url=None).find_proxy({"HTTPS_PROXY": "http://env:1"}) == (
        "http://env:1"
    )


def test_a_connection_has_all_that_a_transport_needs() -> None:
    """One call, so that certificates of a plugin reach TLS."""
    secure = Config(server="https://api/prefix/", user_agent="me").connection(environ={})
    plain = Config(server="http://api", exec=PLUGIN).connection(VirtualClock(), environ={})

    assert (secure.url, secure.proxy, secure.user_agent) == ("https://api/prefix", None, "me")
    assert secure.tls is not None
    assert plain.tls is None
    assert plain.user_agent == default_user_agent()


async def test_a_plugin_that_asks_is_told_about_the_cluster(tmp_path: Path) -> None:
    """By the field names of client.authentication.k8s.io, the authority's file as data."""
    (tmp_path / "ca").write_bytes(b"CA")
    script = tmp_path / "plugin"
    script.write_text(f'#!/bin/sh\nprintf %s "$KUBERNETES_EXEC_INFO" > {tmp_path}/info\nexit 1\n')
    script.chmod(0o755)
    plugin = ExecConfig(command=str(script), provide_cluster_info=True, cluster_config={"aud": 1})
    config = Config(
        server="https://api",
        tls=TLSConfig(ca_file=str(tmp_path / "ca"), server_name="name"),
        exec=plugin,
        proxy_url="http://proxy:1",
        disable_compression=True,
    )

    assert await told(config, tmp_path) == {
        "server": "https://api",
        "tls-server-name": "name",
        "certificate-authority-data": base64.b64encode(b"CA").decode(),
        "proxy-url": "http://proxy:1",
        "disable-compression": True,
        "config": {"aud": 1},
    }


async def told(config: Config, folder: Path) -> Any:
    """Return what the plugin of *config* heard about the cluster."""
    with pytest.raises(Exception, match="exit code 1"):
        await config.credentials(VirtualClock()).headers()
    return json.loads((folder / "info").read_text())["spec"]["cluster"]


@pytest.mark.parametrize(
    ("program", "name"),
    [
        ("/usr/bin/shop-operator", "shop-operator"),
        ("/src/shop/__main__.py", "shop"),
        ("at.py", "at.py"),
        ("-c", "python"),
        ("", "unknown"),
        ("my öperator\n", "myperator"),
    ],
)
def test_the_user_agent_names_the_program(program: str, name: str) -> None:
    """Whoever reads the audit log wants to know which operator it was."""
    ours = version("kubewright")

    agent = default_user_agent(program)

    assert agent.startswith(f"{name}/{ours} ({platform.system().lower()}/")
    assert agent.endswith(f") kubewright/{ours}")


def test_a_misspelt_setting_is_refused() -> None:
    """Going on without it would go to the wrong namespace, or the wrong cluster."""
    document = {"clusters": [{"name": "a", "cluster": {"server": "https://a"}}]}

    for load in (Config.load, Config.in_cluster):
        with pytest.raises(TypeError, match="there is no setting 'namespce': did you mean 'namesp"):
            load(environ={}, namespce="shop")  # type: ignore[call-arg]  # the mistake
    with pytest.raises(TypeError, match="there is no setting 'xyz'"):
        Config.from_kubeconfig(document, xyz=1)  # type: ignore[call-arg]  # the mistake


def test_the_password_of_a_proxy_is_not_shown() -> None:
    """A configuration is logged when something is wrong with it, and so is what it becomes."""
    config = Config(server="https://h", proxy_url="http://user:hunter2@proxy:3128")

    assert "proxy_url='http://***@proxy:3128'" in repr(config)
    assert "hunter2" not in repr(config.connection(VirtualClock()))
    assert "proxy:3128" in repr(config.connection(VirtualClock()))


def test_fewer_connections_than_none_are_refused() -> None:
    """It would be taken for no limit, or for none at all."""
    with pytest.raises(ConfigError, match="connections is -1"):
        Config(server="https://h", connections=-1)

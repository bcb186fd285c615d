import base64
from pathlib import Path
from typing import Any

import pytest

from kubewright.client.auth import Impersonation
from kubewright.client.config import Config
from kubewright.errors import ConfigError

V1 = "client.authentication.k8s.io/v1"


def kubeconfig(
    cluster: dict[str, Any] | None = None,
    user: dict[str, Any] | None = None,
    **context: Any,
) -> dict[str, Any]:
    """Return a kubeconfig with one context, ``dev``."""
    return {
        "current-context": "dev",
        "clusters": [{"name": "c", "cluster": {"server": "https://api:6443", **(cluster or {})}}],
        "users": [{"name": "u", "user": user or {}}],
        "contexts": [{"name": "dev", "context": {"cluster": "c", "user": "u", **context}}],
    }


def message(document: dict[str, Any], context: str | None = None) -> str:
    """Return what using *document* complains."""
    with pytest.raises(ConfigError) as caught:
        Config.from_kubeconfig(document, context)
    return str(caught.value)


def encoded(text: str) -> str:
    """Return *text* in base64."""
    return base64.b64encode(text.encode()).decode()


def test_a_context_is_a_cluster_a_user_and_a_namespace() -> None:
    """Every field of the three arrives."""
    config = Config.from_kubeconfig(
        kubeconfig(
            {
                "certificate-authority-data": encoded("CA"),
                "tls-server-name": "kubernetes",
                "proxy-url": "http://proxy:3128",
                "disable-compression": True,
            },
            {
                "client-certificate-data": encoded("CERT"),
                "client-key-data": encoded("KEY"),
                "token": "t",
                "act-as": "jane",
                "act-as-uid": "7",
                "act-as-groups": ["dev"],
                "act-as-user-extra": {"scopes": ["view"]},
            },
            namespace="shop",
        )
    )

    assert (config.server, config.namespace) == ("https://api:6443", "shop")
    assert (config.tls.ca_data, config.tls.server_name) == (b"CA", "kubernetes")
    assert (config.tls.cert_data, config.tls.key_data) == (b"CERT", b"KEY")
    assert (config.token, config.proxy_url) == ("t", "http://proxy:3128")
    assert config.disable_compression
    assert config.impersonate == Impersonation(
        user="jane", uid="7", groups=("dev",), extra={"scopes": ("view",)}
    )


def test_without_a_namespace_it_is_default() -> None:
    """As kubectl does."""
    assert Config.from_kubeconfig(kubeconfig()).namespace == "default"


def test_a_context_without_a_user_is_anonymous() -> None:
    """Some clusters let anyone read."""
    config = Config.from_kubeconfig(
        kubeconfig(user={"token": "t"})
        | {"contexts": [{"name": "dev", "context": {"cluster": "c"}}]}
    )

    assert config.token is None


def test_an_unknown_current_context_suggests_the_nearest() -> None:
    """The first-day message: a typo."""
    document = kubeconfig() | {"current-context": "dve"}

    assert message(document) == (
        "cannot use the given kubeconfig: current-context is 'dve', and there is no context 'dve'."
        " Did you mean 'dev'? The contexts are: 'dev'."
    )


def test_an_unknown_context_that_was_asked_for_lists_those_that_exist() -> None:
    """The user may have the wrong file."""
    assert message(kubeconfig(), "production") == (
        "cannot use the given kubeconfig: there is no context 'production'."
        " The contexts are: 'dev'."
    )


def test_no_current_context_says_how_to_choose() -> None:
    """As after ``kubectl config unset current-context``."""
    assert message(kubeconfig() | {"current-context": ""}) == (
        "no context is chosen in the given kubeconfig: current-context is empty."
        " The contexts are: 'dev'. Choose one with `kubectl config use-context NAME`,"
        " or pass its name."
    )


def test_a_context_that_names_a_missing_cluster_or_user_says_which() -> None:
    """Go's client goes on as anonymous where the user is missing; nobody wants that."""
    document = kubeconfig()

    no_user = message(document | {"users": []})
    no_cluster = message(document | {"clusters": [{"name": "cc", "cluster": {}}]})

    assert no_user == (
        "cannot use the context 'dev' in the given kubeconfig: it names the user 'u', and there"
        " is no such user. There are no users."
    )
    assert no_cluster == (
        "cannot use the context 'dev' in the given kubeconfig: it names the cluster 'c', and there"
        " is no such cluster. Did you mean 'cc'? The clusters are: 'cc'."
    )


@pytest.mark.parametrize(
    ("cluster", "user", "problem"),
    [
        ({"server": ""}, {}, "cluster 'c' in the given kubeconfig: it has no server. Add"),
        ({"server": "ftp://x"}, {}, "its scheme is 'ftp'"),
        (
            {"insecure-skip-tls-verify": True, "certificate-authority-data": "YWJj"},
            {},
            "cluster 'c' in the given kubeconfig: it has both insecure-skip-tls-verify and",
        ),
        ({"insecure-skip-tls-verify": "yes"}, {}, "must be true or false, not str"),
        ({"proxy-url": "socks5://p:1"}, {}, "SOCKS is not supported"),
        ({}, {"token": "t", "username": "u"}, "user 'u' in the given kubeconfig: it has both a"),
        (
            {},
            {"client-certificate-data": "YWJj"},
            "user 'u' in the given kubeconfig: it has a client certificate but no key",
        ),
        ({}, {"client-certificate": "/no/such"}, "its client-certificate /no/such cannot be read"),
        ({}, {"tokenFile": "/no/such"}, "its tokenFile /no/such cannot be read: No such file"),
        ({"certificate-authority": "/no/ca"}, {}, "its certificate-authority /no/ca cannot be"),
        (
            {"certificate-authority": "/a", "certificate-authority-data": "YWJj"},
            {},
            "it has both certificate-authority and certificate-authority-data",
        ),
        ({}, {"act-as-groups": ["dev"]}, "without a user. Add `act-as: USER`"),
        ({}, {"act-as-groups": [7], "act-as": "a"}, "must be a list of strings"),
        ({}, {"auth-provider": {"name": "gcp"}}, "Use gke-gcloud-auth-plugin"),
        (
            {},
            {"auth-provider": {"name": "azure"}},
            "Use kubelogin (`kubelogin convert-kubeconfig`)",
        ),
        ({}, {"auth-provider": {"name": "oidc"}}, "Use kubelogin (`kubectl oidc-login setup`)"),
        ({}, {"auth-provider": {"name": "x"}}, "its auth-provider 'x' is not supported"),
        ({}, {"exec": {"apiVersion": V1}}, "its exec has no command. Add `command: PROGRAM`."),
        ({}, {"exec": {"command": "aws"}}, "its exec has no apiVersion. It must be one of:"),
        (
            {},
            {"exec": {"command": "aws", "apiVersion": "client.authentication.k8s.io/v1alpha1"}},
            "its exec has the apiVersion 'client.authentication.k8s.io/v1alpha1'. It must be one",
        ),
        ({}, {"exec": {"command": "aws", "apiVersion": V1}}, "its exec has no interactiveMode."),
        (
            {},
            {"exec": {"command": "aws", "apiVersion": V1, "interactiveMode": "Sometimes"}},
            "its exec has the interactiveMode 'Sometimes'. It must be one of: Never,",
        ),
        (
            {},
            {"exec": {"command": "a", "apiVersion": V1, "interactiveMode": "Never", "env": [{}]}},
            "an entry of its exec.env has no name",
        ),
        (
            {},
            {"exec": {"command": "a", "apiVersion": V1, "interactiveMode": "Never", "env": ["A"]}},
            "an entry of its exec.env has no name",
        ),
        ({}, {"exec": []}, "exec must be a mapping, not list"),
    ],
)
def test_a_wrong_entry_is_named_with_what_to_do(
    cluster: dict[str, Any], user: dict[str, Any], problem: str
) -> None:
    """Which entry, what is wrong, what to write."""
    assert problem in message(kubeconfig(cluster, user))


def test_relative_files_are_found_beside_their_own_kubeconfig(tmp_path: Path) -> None:
    """Such files are written by minikube and kind; the working directory is somewhere else."""
    (tmp_path / "ca.crt").write_text("CA")
    (tmp_path / "token").write_text("T")
    file = tmp_path / "config"
    file.write_text(
        """
current-context: dev
clusters: [{name: c, cluster: {server: "https://a", certificate-authority: ca.crt}}]
users: [{name: u, user: {tokenFile: token}}]
contexts: [{name: dev, context: {cluster: c, user: u}}]
"""
    )

    config = Config.from_kubeconfig(file)

    assert config.tls.ca_file == str(tmp_path / "ca.crt")
    assert config.token_file == str(tmp_path / "token")
    assert config.source == f"the context 'dev' in {file}"


def test_plain_http_gets_no_credentials() -> None:
    """As in client-go: anyone on the way could read them."""
    config = Config.from_kubeconfig(
        kubeconfig({"server": "http://api:8080"}, {"token": "t", "act-as": "jane"})
    )

    assert config.token is None
    assert config.impersonate == Impersonation(user="jane")


def test_an_exec_plugin_arrives_whole() -> None:
    """The form that `aws eks update-kubeconfig` writes, and what else there may be."""
    document = kubeconfig(
        {"extensions": [{"name": "client.authentication.k8s.io/exec", "extension": {"aud": "x"}}]},
        {
            "exec": {
                "apiVersion": "client.authentication.k8s.io/v1beta1",
                "command": "aws",
                "args": ["eks", "get-token"],
                "env": [{"name": "AWS_PROFILE", "value": "dev"}],
                "installHint": "brew install awscli",
                "provideClusterInfo": True,
            }
        },
    )

    plugin = Config.from_kubeconfig(document).exec

    assert plugin is not None
    assert (plugin.command, plugin.args) == ("aws", ("eks", "get-token"))
    assert plugin.env == (("AWS_PROFILE", "dev"),)
    assert plugin.interactive_mode == "IfAvailable"
    assert (plugin.install_hint, plugin.provide_cluster_info) == ("brew install awscli", True)
    assert plugin.cluster_config == {"aud": "x"}
    assert plugin.source == "the user 'u' in the given kubeconfig"


@pytest.mark.parametrize(
    ("command", "resolved"),
    [("aws", "aws"), ("./bin/aws", "{folder}/bin/aws"), ("/usr/bin/aws", "/usr/bin/aws")],
)
def test_a_command_with_a_separator_is_relative_to_the_kubeconfig(
    tmp_path: Path, command: str, resolved: str
) -> None:
    """A bare name is looked up in PATH instead."""
    file = tmp_path / "config"
    file.write_text(
        f"""
current-context: dev
clusters: [{{name: c, cluster: {{server: "https://a"}}}}]
users:
- name: u
  user: {{exec: {{command: {command}, apiVersion: {V1}, interactiveMode: Never}}}}
contexts: [{{name: dev, context: {{cluster: c, user: u}}}}]
"""
    )

    plugin = Config.from_kubeconfig(file).exec

    assert plugin is not None
    assert plugin.command == resolved.format(folder=tmp_path)


def test_another_server_drops_the_server_name() -> None:
    """The name belonged to the other server's certificate."""
    document = kubeconfig({"tls-server-name": "old"})

    config = Config.from_kubeconfig(document, server="https://new:1")
    named = Config.from_kubeconfig(document, server="https://new:1", server_name="new")

    assert (config.server, config.tls.server_name) == ("https://new:1", None)
    assert named.tls.server_name == "new"


def test_insecure_drops_the_certificate_authority_and_the_other_way_round() -> None:
    """Both together are refused, so an override must clear what it contradicts."""
    trusting = kubeconfig({"certificate-authority-data": encoded("CA")})
    careless = kubeconfig({"insecure-skip-tls-verify": True})

    insecure = Config.from_kubeconfig(trusting, insecure=True).tls
    secure = Config.from_kubeconfig(careless, ca_file="/ca").tls

    assert (insecure.insecure, insecure.ca_data) == (True, None)
    assert (secure.insecure, secure.ca_file) == (False, "/ca")


def test_a_given_token_replaces_what_the_user_entry_has() -> None:
    """`--token` means this token and no other."""
    document = kubeconfig(user={"username": "u", "password": "p"})

    config = Config.from_kubeconfig(document, token="given", namespace="n")

    assert (config.token, config.username, config.namespace) == ("given", None, "n")


def test_another_cluster_and_user_can_be_chosen() -> None:
    """`--cluster` and `--user` of kubectl."""
    document = kubeconfig()
    document["clusters"].append({"name": "c2", "cluster": {"server": "https://two"}})
    document["users"].append({"name": "u2", "user": {"token": "two"}})

    config = Config.from_kubeconfig(document, cluster="c2", user="u2")

    assert (config.server, config.token) == ("https://two", "two")


def test_a_given_server_needs_no_context() -> None:
    """`--server http://localhost:8001` beside `kubectl proxy`."""
    config = Config.from_kubeconfig({}, server="http://localhost:8001")

    assert config.url == "http://localhost:8001"

from pathlib import Path

import pytest

from kubewright.errors import ConfigError
from kubewright.testing.choice import Choice, choose, open_server
from kubewright.testing.server import KubeconfigServer

KUBECONFIG = """
apiVersion: v1
kind: Config
current-context: here
contexts: [{name: here, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "https://example.org"}}]
users: [{name: u, user: {token: secret}}]
"""


@pytest.mark.parametrize(
    ("choice", "environ", "expected"),
    [
        (None, {}, "embedded"),
        ("real", {"KUBEWRIGHT_SERVER": "embedded"}, "real"),
        (None, {"KUBEWRIGHT_SERVER": "real-crd"}, "real-crd"),
        (None, {"USE_EXISTING_CLUSTER": "true"}, "kubeconfig"),
        (None, {"USE_EXISTING_CLUSTER": "false"}, "embedded"),
        (None, {"USE_EXISTING_CLUSTER": "true", "KUBEWRIGHT_SERVER": "real"}, "real"),
    ],
)
def test_the_argument_wins_over_the_environment(
    choice: str | None, environ: dict[str, str], expected: Choice
) -> None:
    """And without either, nothing has to be installed."""
    assert choose(choice, environ=environ) == expected


def test_a_name_that_is_none_is_said_with_its_origin() -> None:
    """A typing mistake must not mean another server."""
    with pytest.raises(ConfigError, match=r"'reel' \(from \$KUBEWRIGHT_SERVER\): write one of"):
        choose(environ={"KUBEWRIGHT_SERVER": "reel"})


def test_an_existing_cluster_is_taken_from_the_first_kubeconfig(tmp_path: Path) -> None:
    """As with kubectl."""
    (tmp_path / "config").write_text(KUBECONFIG)
    environ = {"USE_EXISTING_CLUSTER": "true", "KUBECONFIG": f"{tmp_path}/config:/other"}

    with open_server(environ=environ) as server:
        assert isinstance(server, KubeconfigServer)
        assert (server.url, server.admin.token) == ("https://example.org", "secret")


def test_a_real_server_needs_its_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message says where they were looked for."""
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(tmp_path))
    opened = open_server("real")

    with pytest.raises(ConfigError, match="KUBEBUILDER_ASSETS"):
        opened.__enter__()

from pathlib import Path

import pytest

from kubewright.client.auth import Impersonation
from kubewright.client.config import Config
from kubewright.errors import ConfigError

POD = {"KUBERNETES_SERVICE_HOST": "10.96.0.1", "KUBERNETES_SERVICE_PORT": "443"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A mounted service account."""
    (tmp_path / "token").write_text("secret")
    (tmp_path / "ca.crt").write_text("-----BEGIN CERTIFICATE-----\n...")
    (tmp_path / "namespace").write_text("shop\n")
    return tmp_path


def test_the_service_account_is_all_that_is_needed(folder: Path) -> None:
    """This is how nearly every operator starts."""
    config = Config.in_cluster(environ=POD, folder=folder)

    assert config.server == "https://10.96.0.1:443"
    assert config.namespace == "shop"
    assert config.token_file == str(folder / "token")
    assert config.tls.ca_file == str(folder / "ca.crt")


def test_a_pod_of_the_embedded_cluster_has_its_account_below_its_root(tmp_path: Path) -> None:
    """There is no container around it, so the usual place is not its own."""
    mounted = tmp_path / "var/run/secrets/kubernetes.io/serviceaccount"
    mounted.mkdir(parents=True)
    (mounted / "token").write_text("secret")
    (mounted / "namespace").write_text("shop")

    config = Config.in_cluster(environ={**POD, "KUBEWRIGHT_ROOT": str(tmp_path)})

    assert (config.namespace, config.token_file) == ("shop", str(mounted / "token"))


def test_an_ipv6_service_gets_brackets(folder: Path) -> None:
    """``https://fd00::1:443`` would be another address."""
    config = Config.in_cluster(environ={**POD, "KUBERNETES_SERVICE_HOST": "fd00::1"}, folder=folder)

    assert config.url == "https://[fd00::1]:443"


def test_pod_namespace_wins_over_the_file(folder: Path) -> None:
    """The downward API knows better where the operator should work."""
    config = Config.in_cluster(environ={**POD, "POD_NAMESPACE": "other"}, folder=folder)

    assert config.namespace == "other"


def test_without_a_namespace_file_the_namespace_is_default(folder: Path) -> None:
    """As in client-go."""
    (folder / "namespace").unlink()

    assert Config.in_cluster(environ=POD, folder=folder).namespace == "default"


@pytest.mark.parametrize("left", [{}, {"KUBERNETES_SERVICE_HOST": "10.96.0.1"}])
def test_outside_of_a_pod_the_message_says_how_we_know(folder: Path, left: dict[str, str]) -> None:
    """Both variables must be there."""
    with pytest.raises(ConfigError) as caught:
        Config.in_cluster(environ=left, folder=folder)

    assert str(caught.value) == (
        "cannot use the service account of the pod: KUBERNETES_SERVICE_HOST and"
        " KUBERNETES_SERVICE_PORT are not set, so this is not a pod. Use a kubeconfig."
    )


def test_a_token_that_is_not_mounted_is_explained(folder: Path) -> None:
    """automountServiceAccountToken: false is the usual reason."""
    (folder / "token").unlink()

    with pytest.raises(ConfigError) as caught:
        Config.in_cluster(environ=POD, folder=folder)

    assert str(caught.value) == (
        f"cannot use the service account of the pod: cannot read the token file {folder}/token:"
        " No such file or directory. Check the path and its permissions."
        " Does the pod set automountServiceAccountToken: false?"
    )


@pytest.mark.parametrize("content", [None, "no certificate"])
def test_without_a_certificate_authority_the_systems_are_trusted(
    folder: Path, content: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    """As in client-go, which logs it and goes on."""
    (folder / "ca.crt").unlink()
    if content is not None:
        (folder / "ca.crt").write_text(content)

    config = Config.in_cluster(environ=POD, folder=folder)

    assert config.tls.ca_file is None
    assert "no certificate authority" in caplog.text


def test_overrides_win_over_the_service_account(folder: Path) -> None:
    """A flag that is given and ignored would be a trap."""
    acting = Impersonation(user="jane")
    config = Config.in_cluster(
        environ=POD,
        folder=folder,
        server="https://other:1",
        namespace="n",
        token="given",
        insecure=True,
        server_name="name",
        proxy_url="http://proxy:1",
        impersonate=acting,
    )

    assert (config.server, config.namespace) == ("https://other:1", "n")
    assert (config.token, config.token_file) == ("given", None)
    assert (config.tls.insecure, config.tls.ca_file) == (True, None)
    assert (config.tls.server_name, config.proxy_url) == ("name", "http://proxy:1")
    assert config.impersonate == acting

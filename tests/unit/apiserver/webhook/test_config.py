import base64
import ssl
from pathlib import Path
from typing import Any

import pytest
import yaml

from kubewright.apiserver.webhook.config import WebhookConfig, read_config
from kubewright.errors import ConfigError
from tests.unit.apiserver.webhook.reviewer import authority

Obj = dict[str, Any]


def config(cluster: Obj | None = None, user: Obj | None = None, **more: Any) -> Obj:
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "c", "cluster": {"server": "https://h:1/check"} | (cluster or {})}],
        "users": [{"name": "u", "user": user or {}}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "x",
        **more,
    }


def read(folder: Path, document: Any) -> WebhookConfig:
    path = folder / "hook.yaml"
    path.write_text(document if isinstance(document, str) else yaml.safe_dump(document))
    return read_config(path)


def test_the_cluster_is_the_webhook(tmp_path: Path) -> None:
    """The path of the server is posted to, as it is."""
    found = read(tmp_path, config())

    assert str(found.endpoint) == "https://h:1"
    assert (found.path, found.server_name, found.authorization) == ("/check", "h", "")


def test_a_server_without_a_path_is_posted_to_at_its_root(tmp_path: Path) -> None:
    """HTTP needs one."""
    found = read(tmp_path, config({"server": "http://h", "tls-server-name": "other"}))

    assert (found.path, found.server_name) == ("/", "other")


@pytest.mark.parametrize(
    ("user", "expected"),
    [
        ({"token": "t"}, "Bearer t"),
        ({"token": "t", "tokenFile": "token"}, "Bearer from-file"),
        ({"username": "ann", "password": "p"}, "Basic YW5uOnA="),
    ],
)
def test_the_user_is_who_we_are_to_it(tmp_path: Path, user: Obj, expected: str) -> None:
    """The names of files are relative to the folder of the config."""
    (tmp_path / "token").write_text("from-file\n")

    assert read(tmp_path, config(user=user)).authorization == expected


def test_a_context_needs_no_user(tmp_path: Path) -> None:
    """A webhook may let everybody ask."""
    contexts = [{"name": "x", "context": {"cluster": "c"}}]

    assert read(tmp_path, config(contexts=contexts)).authorization == ""


def test_verification_can_be_turned_off(tmp_path: Path) -> None:
    """kube-apiserver allows it, too."""
    found = read(tmp_path, config({"insecure-skip-tls-verify": True}))

    assert found.trust.context.verify_mode == ssl.CERT_NONE


def test_secrets_are_not_shown(tmp_path: Path) -> None:
    """Logs and stack traces show objects."""
    assert "secret" not in repr(read(tmp_path, config(user={"token": "secret"})))


def test_certificates_are_files_or_data(tmp_path: Path) -> None:
    """Data wins, as everywhere in a kubeconfig."""
    pair = authority().client("apiserver")
    (tmp_path / "ca.crt").write_bytes(authority().certificate)
    (tmp_path / "client.crt").write_bytes(pair.certificate)
    user = {
        "client-certificate": "client.crt",
        "client-key-data": base64.b64encode(pair.key).decode(),
    }

    found = read(tmp_path, config({"certificate-authority": "ca.crt"}, user))

    assert found.trust.context.cert_store_stats()["x509_ca"] == 1


PEM = base64.b64encode(authority().certificate).decode()


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        ("", "it is not a kubeconfig"),
        ("a: [", "it is not YAML"),
        ("- a", "it is not a kubeconfig"),
        ({**config(), "current-context": ""}, "it has no current-context"),
        (config(contexts=[]), "there is no context 'x' in it"),
        (config(clusters=[]), "there is no cluster 'c' in it"),
        (config(clusters="c"), "clusters must be a list of mappings"),
        (config(clusters=[{"name": "c", "cluster": "h"}]), "the cluster 'c' must be a mapping"),
        (config(users=None), "there is no user 'u' in it"),
        (config(contexts=[{"name": "x", "context": {}}]), "the context 'x': it names no cluster"),
        (config({"server": ""}), "the cluster 'c': it names no server"),
        (config({"server": 5}), "the cluster 'c': server must be a string"),
        (config({"server": "h:1"}), "the cluster 'c': cannot use 'h:1' as a server address"),
        (config({"proxy-url": "http://p"}), "proxy-url is not supported"),
        (config({"certificate-authority": "no.crt"}), "cannot read its certificate-authority"),
        (config({"certificate-authority-data": "!"}), "certificate-authority-data is not base64"),
        (config({"certificate-authority-data": "YQ=="}), "is no certificate in PEM"),
        (
            config({"certificate-authority-data": PEM, "insecure-skip-tls-verify": True}),
            "Choose one",
        ),
        (config(user={"client-certificate-data": PEM}), "client-key belong together"),
        (
            config(user={"client-certificate-data": PEM, "client-key-data": PEM}),
            "are no certificate in PEM with its key",
        ),
        (config(user={"exec": {"command": "x"}}), "exec is not supported here"),
        (config(user={"token": "a\nb"}), "characters that no header can carry"),
        (config(user={"token": "a", "username": "b"}), "a token and a username"),
        (config(user={"tokenFile": "no"}), "cannot read its tokenFile"),
    ],
)
def test_a_mistake_is_named_with_its_file(tmp_path: Path, document: Any, problem: str) -> None:
    """The server does not start, and its administrator knows what to change."""
    with pytest.raises(ConfigError) as caught:
        read(tmp_path, document)

    said = str(caught.value)
    assert said.startswith(f"cannot use the webhook config file {tmp_path / 'hook.yaml'}: ")
    assert problem in said


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """Most mistakes are in the path."""
    with pytest.raises(ConfigError, match=r"no\.yaml: No such file or directory"):
        read_config(tmp_path / "no.yaml")

import base64
from pathlib import Path
from typing import Any

import pytest
import yaml

from kubewright.errors import ConfigError
from kubewright.testing.server import KubeconfigServer, User, kubeconfig

URL = "https://127.0.0.1:6443"


def write(folder: Path, document: Any) -> Path:
    """Write *document* as a kubeconfig and return its path."""
    path = folder / "config"
    path.write_text(document if isinstance(document, str) else yaml.safe_dump(document))
    return path


@pytest.mark.parametrize(
    "user",
    [
        User("jane", token="secret"),
        User("jane", certificate=b"-----CERT", key=b"-----KEY"),
        User("jane", token="secret", certificate=b"-----CERT", key=b"-----KEY"),
    ],
)
def test_what_is_written_is_read_again(tmp_path: Path, user: User) -> None:
    """The kubeconfig that we make is one that we accept."""
    path = write(tmp_path, kubeconfig(URL, user, ca_data=b"-----CA"))

    server = KubeconfigServer.load(path)

    assert server == KubeconfigServer(URL, b"-----CA", user, path)


def test_files_are_relative_to_the_kubeconfig(tmp_path: Path) -> None:
    """As kubectl reads them, whatever the working directory is."""
    (tmp_path / "token").write_text("secret\n")
    (tmp_path / "ca.crt").write_bytes(b"-----CA")
    document = kubeconfig(URL, User("jane"))
    document["clusters"][0]["cluster"]["certificate-authority"] = "ca.crt"
    document["users"][0]["user"]["tokenFile"] = "token"

    server = KubeconfigServer.load(write(tmp_path, document))

    assert (server.admin.token, server.ca_data) == ("secret", b"-----CA")


def test_a_server_without_authority_is_trusted_by_the_machine(tmp_path: Path) -> None:
    """Managed clusters may have public certificates."""
    path = write(tmp_path, kubeconfig(URL, User("jane", token="secret")))

    assert KubeconfigServer.load(path).ca_data is None


def broken() -> dict[str, tuple[Any, str]]:
    """Return kubeconfigs that are wrong, each with what must be said about it."""
    good = kubeconfig(URL, User("jane", token="secret"))
    bad_data = kubeconfig(URL, User("jane", token="secret"))
    bad_data["clusters"][0]["cluster"]["certificate-authority-data"] = "%%%"
    no_file = kubeconfig(URL, User("jane", token="secret"))
    no_file["clusters"][0]["cluster"]["certificate-authority"] = "absent.crt"
    return {
        "not yaml": ("{", "cannot read"),
        "not a mapping": ("- a", "not a YAML mapping"),
        "no current context": ({**good, "current-context": None}, "no 'context None'"),
        "unknown context": ({**good, "current-context": "other"}, "no 'context other'"),
        "no users": ({**good, "users": None}, "no 'user jane'"),
        "no clusters": ({**good, "clusters": []}, "no 'cluster test'"),
        "no credentials": (kubeconfig(URL, User("jane")), "neither a token nor"),
        "not base64": (bad_data, "cannot use"),
        "missing file": (no_file, "absent.crt"),
        "list of strings": ({**good, "users": ["jane"]}, "cannot use"),
    }


@pytest.mark.parametrize("case", broken())
def test_a_broken_kubeconfig_is_named_with_what_is_wrong(tmp_path: Path, case: str) -> None:
    """The reader has many such files; the message says which, and what to look at."""
    document, said = broken()[case]
    path = write(tmp_path, document)

    with pytest.raises(ConfigError) as caught:
        KubeconfigServer.load(path)

    assert str(path) in str(caught.value)
    assert said in str(caught.value)


def test_a_missing_kubeconfig_is_named(tmp_path: Path) -> None:
    """The path in the message is the one that was looked at."""
    with pytest.raises(ConfigError, match="absent"):
        KubeconfigServer.load(tmp_path / "absent")


def test_a_user_does_not_show_secrets() -> None:
    """The arguments of a failed test are printed into logs that many read."""
    user = User("jane", token="hunter2", certificate=b"CERT", key=b"KEY")

    shown = repr(user)

    assert "jane" in shown
    assert "hunter2" not in shown
    assert "KEY" not in shown


def test_credentials_are_encoded_as_kubernetes_wants() -> None:
    """Data fields are base64 without line breaks."""
    document = kubeconfig(URL, User("jane"), ca_data=b"x" * 200)

    data = document["clusters"][0]["cluster"]["certificate-authority-data"]

    assert base64.b64decode(data, validate=True) == b"x" * 200

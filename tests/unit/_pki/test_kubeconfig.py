from pathlib import Path

import pytest

from kubewright._pki.kubeconfig import check_target, credentials, document, write
from kubewright.client import Config
from kubewright.errors import ConfigError

URL = "https://127.0.0.1:6443"
OURS = document(URL, ("admin", credentials(token="secret")), ca_data=None)


def test_what_is_written_is_what_a_client_reads(tmp_path: Path) -> None:
    """Kubectl reads the same."""
    write(tmp_path / "config", OURS)

    config = Config.from_kubeconfig(tmp_path / "config")

    assert (config.server, config.token) == (URL, "secret")


def test_a_certificate_goes_with_its_key() -> None:
    """One without the other is of no use, and clients refuse it."""
    assert set(credentials(certificate=b"c", key=b"k")) == {
        "client-certificate-data",
        "client-key-data",
    }
    assert credentials(certificate=b"c") == {}


def test_only_we_can_read_it_and_it_comes_whole(tmp_path: Path) -> None:
    """Whoever has it is administrator; whoever waits for it reads it at once."""
    write(tmp_path / "config", OURS)
    write(tmp_path / "config", OURS)

    assert [path.name for path in tmp_path.iterdir()] == ["config"]
    assert (tmp_path / "config").stat().st_mode & 0o777 == 0o600


def test_our_own_file_may_be_written_again(tmp_path: Path) -> None:
    """The server was started before, with another port."""
    write(tmp_path / "config", OURS)
    (tmp_path / "empty").touch()

    write(tmp_path / "named", document("https://a", ("b", {}), ca_data=None, name="kubewright-b"))
    (tmp_path / "unused").write_text("{apiVersion: v1, kind: Config, contexts: null}")

    check_target(tmp_path / "config")
    check_target(tmp_path / "named")
    check_target(tmp_path / "empty")
    check_target(tmp_path / "unused")
    check_target(tmp_path / "new")


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("missing/config", "the folder .* does not exist"),
        ("folder", "it is a folder"),
        ("other", "the contexts kubewright, production and the cluster .* and the user me, which"),
        ("namesake", "the context kubewright and the cluster kubewright and the user me, which"),
        ("manifest", "something else than a kubeconfig"),
        ("broken", "something else than a kubeconfig"),
    ],
)
def test_what_belongs_to_others_is_not_overwritten(name: str, problem: str, tmp_path: Path) -> None:
    """``--kubeconfig ~/.kube/config`` would be the end of somebody's clusters."""
    (tmp_path / "folder").mkdir()
    other, namesake = (document(URL, ("me", {}), ca_data=None) for _ in range(2))
    other["contexts"].append({"name": "production"})
    del namesake["clusters"][0]["cluster"]["extensions"]
    write(tmp_path / "other", other)
    write(tmp_path / "namesake", namesake)
    (tmp_path / "manifest").write_text("{apiVersion: v1, kind: ConfigMap}")
    (tmp_path / "broken").write_text("{")

    with pytest.raises(ConfigError, match=f"cannot write .*{name}: .*{problem}"):
        check_target(tmp_path / name)


def test_a_folder_that_is_gone_is_said(tmp_path: Path) -> None:
    """It was there when we started."""
    with pytest.raises(ConfigError, match="No such file"):
        write(tmp_path / "missing" / "config", OURS)

import os
from pathlib import Path

import pytest

from kubewright.client.config import Config
from kubewright.client.loading import Places, load
from kubewright.errors import ConfigError

POD = {"KUBERNETES_SERVICE_HOST": "10.96.0.1", "KUBERNETES_SERVICE_PORT": "443"}


def write(path: Path, server: str) -> Path:
    """Write a kubeconfig whose one context leads to *server*."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        f"""
current-context: {server}
clusters: [{{name: {server}, cluster: {{server: "https://{server}"}}}}]
contexts: [{{name: {server}, context: {{cluster: {server}}}}}]
"""
    )
    return path


@pytest.fixture
def pod(tmp_path: Path) -> Path:
    """A mounted service account."""
    folder = tmp_path / "serviceaccount"
    folder.mkdir()
    (folder / "token").write_text("t")
    (folder / "ca.crt").write_text("-----BEGIN CERTIFICATE-----")
    return folder


def server(path: Path | None, places: Places, context: str | None = None) -> str:
    """Return the server that loading finds."""
    return load(path, context, where=places, overrides={}).server


def test_the_order_is_that_of_controller_runtime(tmp_path: Path, pod: Path) -> None:
    """Named file, $KUBECONFIG, the pod, the home folder."""
    named = write(tmp_path / "named", "named")
    listed = write(tmp_path / "listed", "listed")
    write(tmp_path / ".kube/config", "home")
    everything = {**POD, "KUBECONFIG": str(listed)}

    found = [
        server(named, Places(environ=everything, home=tmp_path, service_account=pod)),
        server(None, Places(environ=everything, home=tmp_path, service_account=pod)),
        server(None, Places(environ=POD, home=tmp_path, service_account=pod)),
        server(None, Places(environ={}, home=tmp_path, service_account=pod)),
    ]

    assert found == ["https://named", "https://listed", "https://10.96.0.1:443", "https://home"]


def test_a_pod_without_a_token_falls_back_to_the_home_folder(tmp_path: Path) -> None:
    """Some set the service variables on a workstation."""
    write(tmp_path / ".kube/config", "home")

    places = Places(environ=POD, home=tmp_path, service_account=tmp_path / "none")

    assert server(None, places) == "https://home"


def test_a_context_that_was_asked_for_is_never_ignored_in_a_pod(tmp_path: Path, pod: Path) -> None:
    """A service account has no contexts, so the user means the file."""
    write(tmp_path / ".kube/config", "home")

    places = Places(environ=POD, home=tmp_path, service_account=pod)

    assert server(None, places, "home") == "https://home"


def test_a_file_that_was_named_must_exist(tmp_path: Path) -> None:
    """Silently using another cluster would be worse than stopping."""
    with pytest.raises(ConfigError) as caught:
        Config.load(tmp_path / "none", environ={}, home=tmp_path)

    assert str(caught.value) == (
        f"cannot read the kubeconfig {tmp_path}/none: there is no such file. Check the path."
    )


def test_a_list_is_merged_and_missing_files_are_skipped(tmp_path: Path) -> None:
    """The current context of the first file may be defined in the second."""
    first = tmp_path / "first"
    first.write_text("current-context: two")
    second = write(tmp_path / "second", "two")
    listed = os.pathsep.join(["", str(tmp_path / "none"), str(first), str(second), str(second)])

    config = Config.load(environ={"KUBECONFIG": listed}, home=tmp_path)

    assert config.server == "https://two"


def test_a_broken_file_in_a_list_is_an_error(tmp_path: Path) -> None:
    """Only missing files are skipped."""
    broken = tmp_path / "broken"
    broken.write_text("{")
    good = write(tmp_path / "good", "good")

    with pytest.raises(ConfigError, match="broken: it is not YAML"):
        Config.load(environ={"KUBECONFIG": f"{good}{os.pathsep}{broken}"}, home=tmp_path)


def test_a_list_of_missing_files_falls_back_to_the_pod_only(tmp_path: Path, pod: Path) -> None:
    """As in client-go: who sets $KUBECONFIG does not mean the home folder."""
    write(tmp_path / ".kube/config", "home")
    environ = {"KUBECONFIG": str(tmp_path / "none")}

    in_pod = server(None, Places(environ={**POD, **environ}, home=tmp_path, service_account=pod))
    with pytest.raises(ConfigError) as caught:
        Config.load(environ=environ, home=tmp_path)

    assert in_pod == "https://10.96.0.1:443"
    assert str(caught.value) == (
        f"no cluster configured: this is not a pod, there is no {tmp_path}/none."
        " Name a kubeconfig file in $KUBECONFIG, with --kubeconfig or in Config.load();"
        " `kubewright cluster start` makes a cluster to try things on."
    )


def test_no_kubeconfig_anywhere_says_where_we_looked(tmp_path: Path) -> None:
    """The very first message that a newcomer may see."""
    with pytest.raises(ConfigError) as caught:
        Config.load(environ={}, home=tmp_path)

    assert str(caught.value) == (
        "no cluster configured: $KUBECONFIG is not set, this is not a pod,"
        f" there is no {tmp_path}/.kube/config."
        " Name a kubeconfig file in $KUBECONFIG, with --kubeconfig or in Config.load();"
        " `kubewright cluster start` makes a cluster to try things on."
    )


def test_an_empty_kubeconfig_is_called_empty(tmp_path: Path) -> None:
    """Otherwise the user would look for a file that is there."""
    file = tmp_path / "empty"
    file.write_text("")

    with pytest.raises(ConfigError, match=f"{file} is empty"):
        Config.load(environ={"KUBECONFIG": str(file)}, home=tmp_path)


def test_home_comes_from_the_environment(tmp_path: Path) -> None:
    """A test or a service manager sets HOME."""
    write(tmp_path / ".kube/config", "home")

    assert Config.load(environ={"HOME": str(tmp_path)}).server == "https://home"


def test_a_user_without_a_home_still_gets_the_message(monkeypatch: pytest.MonkeyPatch) -> None:
    """OpenShift runs pods as users that no passwd file knows."""

    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", homeless)

    with pytest.raises(ConfigError, match=r"there is no \.kube/config"):
        Config.load(environ={})


def test_a_given_server_is_enough(tmp_path: Path) -> None:
    """No file is needed to talk to `kubectl proxy`."""
    config = Config.load(environ={}, home=tmp_path, server="http://localhost:8001")

    assert config.server == "http://localhost:8001"

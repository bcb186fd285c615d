"""The command ``kubewright doctor``: what it takes, and what it refuses."""

import json
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from kubewright.cli import app as command
from kubewright.errors import ConfigError
from kubewright.testing import EmbeddedServer, probe

OPERATOR = """\
import kubewright as kw


@kw.resource(group="example.com", version="v1")
class Shop(kw.Resource):
    pass


operator = kw.Operator("shop")


@operator.reconciler(Shop)
async def reconcile(shop: Shop, ctx: kw.Context) -> None:
    pass
"""


@pytest.fixture
def server() -> Iterator[EmbeddedServer]:
    """A cluster with nothing in it."""
    with EmbeddedServer() as started:
        yield started


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An operator of one kind; the current folder is no project."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))  # the version of kubectl is no matter here
    found = tmp_path / "shops_of_the_doctor.py"
    found.write_text(OPERATOR)
    return found


def examined(*words: str | Path) -> Result:
    """Run the command as a user types it."""
    return CliRunner().invoke(command.app, ["doctor", *map(str, words)])


def config(server: EmbeddedServer) -> tuple[str, Path]:
    """Return the option that names a cluster."""
    return "--kubeconfig", server.kubeconfig_file


@pytest.mark.usefixtures("file")
def test_without_an_operator_the_cluster_is_looked_at(server: EmbeddedServer) -> None:
    """It need not be in a project."""
    done = examined(*config(server))

    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("Nothing is wrong (13 checks). Kubernetes v1.")


def test_what_is_missing_is_told_with_its_command(server: EmbeddedServer, file: Path) -> None:
    """The command reaches the cluster that was looked at, whatever the current one is."""
    done = examined(file, *config(server))

    assert done.exit_code == 1
    assert done.stdout.startswith(
        "ERROR crd/shops.example.com\n"
        "  There is no CustomResourceDefinition for Shop: nobody can store an object of it.\n"
        "  The operator cannot watch Shop, and waits.\n"
        "  To mend it:\n"
        f"    kubewright manifests {file} | kubectl --kubeconfig {server.kubeconfig_file} apply"
        " --server-side --filename -\n"
    )
    assert "HINT namespace/shop-system" in done.stdout
    assert "1 error, 1 hint (13 checks)." in done.stdout


def test_what_mends_a_deployment_mends_it_in_the_namespace_that_was_looked_at(
    server: EmbeddedServer, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Elsewhere there would be a second operator, and the first would be as it was."""
    alone = examined(file, *config(server), "--namespace", "prod")
    (tmp_path / "shop").mkdir()
    monkeypatch.chdir(tmp_path / "shop")
    CliRunner().invoke(command.app, ["init", "--domain", "example.com", "--no-manifests"])
    in_project = examined(*config(server), "--namespace", "prod")
    at_home = examined(*config(server), "--namespace", "shop-system")

    assert f"    kubewright manifests {file} --namespace prod | kubectl" in alone.stdout
    assert "    kubewright deploy --namespace prod --image IMAGE" in in_project.stdout
    assert "    kubewright deploy --image IMAGE" in at_home.stdout


def test_a_program_gets_one_json_document(server: EmbeddedServer, file: Path) -> None:
    """Complaints go to stderr."""
    done = examined(file, *config(server), "--output", "json", "--verbose")

    found = json.loads(done.stdout)
    assert (found["healthy"], found["operator"], found["checks"]) == (False, "shop", 13)
    assert found["findings"][0]["severity"] == "error"
    assert found["findings"][0]["check"] == "CRDs"
    assert found["fine"]


def test_a_deployment_that_was_asked_for_and_is_missing_is_an_error(
    server: EmbeddedServer, file: Path
) -> None:
    """A typing mistake must not look like health."""
    done = examined(file, *config(server), "--namespace", "default", "--deployment", "shpo")

    assert done.exit_code == 1
    assert (
        "ERROR deployment/shpo in namespace default\n  There is no such Deployment." in done.stdout
    )


BAD = [
    (["--namespace", "Shops"], "--namespace: there can be no such name"),
    (["--namespace", ""], "--namespace: there can be no such name"),
    (["--deployment", "a b"], "--deployment: there can be no such name"),
    (["--deployment", "shop"], "--deployment: in which namespace? Say it with --namespace"),
    (["--service-account", "shop"], "--service-account: write NAMESPACE:NAME"),
    (["--service-account", ":shop"], "--service-account: write NAMESPACE:NAME"),
    (["--service-account", "a:b:c"], "--service-account: write NAMESPACE:NAME"),
    (["gone.py"], "cannot load gone.py: there is no such file"),
    (["gone.module"], "cannot load gone.module"),
    (["--kubeconfig", "gone"], "gone"),
    (["empty.py"], "empty.py has no operator"),
    (["broken.py"], "SyntaxError"),
]


@pytest.mark.parametrize(("words", "text"), BAD)
def test_bad_input_is_refused_before_the_cluster_is_asked(
    words: list[str], text: str, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message says which option, and what to write."""
    monkeypatch.setenv("KUBECONFIG", str(file.parent / "nothing"))
    (file.parent / "empty.py").write_text("")
    (file.parent / "broken.py").write_text("def (")

    done = examined(*words)

    assert isinstance(done.exception, ConfigError)  # which `main` turns into status 2
    assert text in str(done.exception)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--output", "yaml"], "'yaml' is not one of 'text', 'json'"),
        (["--timeout", "0"], "0.0 is not in the range"),
        (["--timeout", "soon"], "'soon' is not a valid float"),
        (["--stuck-after", "-1"], "-1.0 is not in the range"),
        (["a", "b"], "Got unexpected extra argument"),
        (["--colour"], "No such option: --colour"),
        (["--kubeconfig", ""], "it is empty"),
    ],
)
def test_options_are_checked(words: list[str], text: str) -> None:
    """Status 2, as for every mistake in what was typed."""
    done = examined(*words)

    assert done.exit_code == 2
    assert text in done.stderr


def test_without_a_cluster_it_says_where_it_has_looked(
    file: Path, server: EmbeddedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The current context is the usual mistake."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    text = server.kubeconfig_file.read_text()
    url = server.config().url
    other = file.parent / "config"
    other.write_text(text.replace(url, f"https://127.0.0.1:{port}"))

    done = examined("--kubeconfig", other)

    assert isinstance(done.exception, ConfigError)
    assert f"there is no cluster to look at: https://127.0.0.1:{port}" in str(done.exception)
    assert "kubectl config view --minify" in str(done.exception)


def test_a_cluster_that_never_answers_is_given_up(file: Path, server: EmbeddedServer) -> None:
    """A firewall that drops everything looks like that."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        text = server.kubeconfig_file.read_text()
        other = file.parent / "config"
        other.write_text(text.replace(server.config().url, f"https://127.0.0.1:{port}"))

        done = examined("--kubeconfig", other, "--timeout", "0.2")

    assert isinstance(done.exception, ConfigError)
    assert "did not answer within 0.2 seconds" in str(done.exception)


def test_ctrl_c_ends_it_in_order(file: Path) -> None:
    """The server here takes the connection and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        kubeconfig = file.parent / "config"
        kubeconfig.write_text(
            "{apiVersion: v1, kind: Config, current-context: a,"
            " contexts: [{name: a, context: {cluster: a, user: a}}], users: [{name: a}],"
            f" clusters: [{{name: a, cluster: {{server: 'http://127.0.0.1:"
            f"{listener.getsockname()[1]}'}}}}]}}"
        )
        process = subprocess.Popen(
            [sys.executable, "-m", "kubewright", "doctor", f"--kubeconfig={kubeconfig}"],
            stderr=subprocess.PIPE,
            text=True,
        )
        connection, _ = listener.accept()
        with connection:
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=15)

    assert process.returncode == 1
    assert said == "kubewright: interrupted, before everything was looked at\n"


def test_a_user_without_rights_is_told_so(file: Path, server: EmbeddedServer) -> None:
    """There is nothing wrong with the cluster."""
    user = server.add_user("nobody")
    other = server.write_kubeconfig(file.parent / "config", user)

    done = examined("--kubeconfig", other)

    assert done.exit_code == 0  # whoever may see nothing is told so, in hints
    assert "you may not list" in done.stdout


def test_two_deployments_that_fit_are_asked_about(server: EmbeddedServer, file: Path) -> None:
    """A guess would examine the wrong one."""
    for name in ("a", "b"):
        labels = {"app": name}
        pod = {
            "metadata": {"labels": labels},
            "spec": {"containers": [{"name": "a", "image": "a"}]},
        }
        body = {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": name},
            "spec": {"selector": {"matchLabels": labels}, "template": pod},
        }
        path = "/apis/apps/v1/namespaces/default/deployments"
        assert probe.ask(server, "POST", path, body=body).status == 201

    done = examined(file, *config(server), "--namespace", "default")

    assert isinstance(done.exception, ConfigError)
    assert "It has a, b: say --deployment NAME" in str(done.exception)


class Page(BaseHTTPRequestHandler):
    """The page of a web server, whatever it is asked for."""

    def do_GET(self) -> None:
        """Answer with 200."""
        body = b"<html>Please log in</html>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def test_a_web_server_is_no_cluster(tmp_path: Path) -> None:
    """A login page before the cluster says 200, too; the context is still what to look at."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as web:
        threading.Thread(target=web.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{web.server_address[1]}"
        other = tmp_path / "config"
        other.write_text(
            f"{{current-context: a, contexts: [{{name: a, context: {{cluster: a, user: a}}}}],"
            f" clusters: [{{name: a, cluster: {{server: '{url}'}}}}], users: [{{name: a}}]}}"
        )

        done = examined("--kubeconfig", other)
        web.shutdown()

    said = str(done.exception)
    assert isinstance(done.exception, ConfigError)
    assert f"there is no cluster to look at: {url}: what answers there is not an API server" in said
    assert "`kubectl config view --minify` shows the current context" in said

"""The generator of `kubewright.kinds`: what it reads, what it refuses, and that it was run."""

import copy
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest
from tools.generate_kinds import generate, main
from tools.kindgen.names import InputError, camel, module_of, snake

ROOT = Path(__file__).parents[3]
DATA = ROOT / "src/kubewright/apiserver/data"
OPENAPI = DATA / "kubernetes-openapi-v2.json"
META = "io.k8s.apimachinery.pkg.apis.meta.v1."
SHOP = "io.k8s.api.shops.v1."

Json = dict[str, Any]


@pytest.fixture
def document() -> Json:
    """A document with one kind of our own, and the metadata that all have."""
    full = json.loads(OPENAPI.read_text())["definitions"]
    meta = {name: full[name] for name in full if name.startswith(META)}
    meta |= {name: full[name] for name in full if name.endswith((".RawExtension", ".Quantity"))}
    return {"info": {"version": "v1.99"}, "definitions": copy.deepcopy(meta), "paths": {}}


def shop(properties: Json, required: list[str] | None = None) -> Json:
    """Return the definition of a kind with these properties."""
    meta = {"metadata": {"$ref": f"#/definitions/{META}ObjectMeta"}}
    gvk = [{"group": "shops.k8s.io", "version": "v1", "kind": "Shop"}]
    return {
        "type": "object",
        "properties": meta | properties,
        "required": required or [],
        "x-kubernetes-group-version-kind": gvk,
    }


def run_generated(text: str) -> Json:
    """Run the text of a module, and return what it defines."""
    names: Json = {"__name__": "generated"}
    exec(compile(text, "generated", "exec"), names)
    return names


def test_the_committed_kinds_are_up_to_date() -> None:
    """Whoever changes the generator or the document has to run it."""
    script = [sys.executable, "tools/generate_kinds.py", "--check", "--openapi", str(OPENAPI)]

    done = subprocess.run(script, cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "up to date" in done.stdout


def test_the_same_document_gives_the_same_text() -> None:
    """Otherwise --check would fail at random; the order in the document does not matter."""
    document = json.loads(OPENAPI.read_text())
    turned = document | {"definitions": dict(reversed(document["definitions"].items()))}

    assert generate(document) == generate(turned)


@pytest.mark.parametrize(
    ("wire", "name"),
    [
        ("podIPs", "pod_ips"),
        ("podIP", "pod_ip"),
        ("clusterIP", "cluster_ip"),
        ("imageID", "image_id"),
        ("fsType", "fs_type"),
        ("runAsUser", "run_as_user"),
        ("seLinuxOptions", "se_linux_options"),
        ("nonResourceURLs", "non_resource_urls"),
        ("serverAddressByClientCIDRs", "server_address_by_client_cidrs"),
        ("insecureSkipTLSVerify", "insecure_skip_tls_verify"),
        ("openAPIV3Schema", "open_api_v3_schema"),
        ("stubPKCS10Request", "stub_pkcs10_request"),
        ("fieldsV1", "fields_v1"),
        ("$ref", "ref"),
        ("x-kubernetes-list-type", "x_kubernetes_list_type"),
        ("from", "from_"),
        ("not", "not_"),
        ("bool", "bool_"),
        ("match", "match"),
        ("type", "type"),
    ],
)
def test_names_are_those_of_python(wire: str, name: str) -> None:
    """A person who knows the Kubernetes field guesses the Python one."""
    assert snake(wire) == name


def test_no_two_properties_of_a_definition_get_one_name() -> None:
    """The second would take the place of the first, without any sign."""
    definitions = json.loads(OPENAPI.read_text())["definitions"]

    for name, schema in definitions.items():
        wires = list(schema.get("properties", {}))
        assert len({snake(wire) for wire in wires}) == len(wires), name


def test_two_properties_of_one_name_are_refused(document: Json) -> None:
    """Better no module than one that loses a field."""
    properties = {"podIP": {"type": "string"}, "podIp": {"type": "string"}}
    document["definitions"][SHOP + "Shop"] = shop(properties)

    with pytest.raises(InputError, match="'podIP' and 'podIp'"):
        generate(document)


def test_explicit_names_are_written_only_where_the_rule_fails() -> None:
    """`field(name=...)` everywhere would hide the few that matter."""
    assert camel("pod_name") == "podName"
    text = generate(json.loads(OPENAPI.read_text()))["core/v1/_service.py"]

    assert 'name="clusterIP"' in text
    assert 'name="nodeName"' not in text


@pytest.mark.parametrize(
    ("definition", "module"),
    [
        ("io.k8s.api.core.v1.Pod", "core.v1"),
        ("io.k8s.api.rbac.v1.Role", "rbac.v1"),
        ("io.k8s.api.flowcontrol.v1.FlowSchema", "flowcontrol.v1"),
        ("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON", "apiextensions.v1"),
        ("io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIService", "apiregistration.v1"),
        ("io.k8s.apimachinery.pkg.apis.meta.v1.Status", "meta.v1"),
        ("io.k8s.apimachinery.pkg.runtime.RawExtension", "meta.v1"),
        ("io.k8s.apimachinery.pkg.version.Info", "version"),
    ],
)
def test_modules_are_named_after_group_and_version(definition: str, module: str) -> None:
    """The import that a Kubernetes person writes without looking it up."""
    assert module_of(definition) == module


def test_every_definition_has_a_name_in_its_module() -> None:
    """Also those that are no classes, such as Time and JSON."""
    document = json.loads(OPENAPI.read_text())
    files = generate(document)

    for name in document["definitions"]:
        path = module_of(name).replace(".", "/")
        text = files.get(f"{path}.py") or files[f"{path}/__init__.py"]
        assert f'    "{name.rpartition(".")[2]}",\n' in text


def test_paths_tell_plural_and_scope(document: Json) -> None:
    """The list over all namespaces has no namespace in its path, and must not decide."""
    gvk = {"group": "shops.k8s.io", "version": "v1", "kind": "Shop"}
    operation = {"get": {"x-kubernetes-group-version-kind": gvk}, "parameters": [{"name": "x"}]}
    document["definitions"][SHOP + "Shop"] = shop({})
    document["paths"] = {
        "/apis/shops.k8s.io/v1/shoppen": operation,
        "/apis/shops.k8s.io/v1/namespaces/{namespace}/shoppen/{name}": operation,
        "/apis/shops.k8s.io/v1/namespaces/{namespace}/shoppen/{name}/status": operation,
        "/apis/shops.k8s.io/v1/watch/shoppen": operation,
    }

    text = generate(document)["shops/v1.py"]

    assert '@builtin("shops.k8s.io", "v1", "Shop", "shoppen", namespaced=True)' in text


def test_discovery_tells_what_the_paths_do_not(document: Json) -> None:
    """A trimmed document has no paths."""
    kind = {"group": "", "version": "", "kind": "Shop"}
    entry = {"resource": "shoppen", "responseKind": kind, "scope": "Cluster"}
    versions = [{"version": "v1", "resources": [entry]}]
    discovery = {"items": [{"metadata": {"name": "shops.k8s.io"}, "versions": versions}]}
    document["definitions"][SHOP + "Shop"] = shop({})

    text = generate(document, [discovery])["shops/v1.py"]

    assert '@builtin("shops.k8s.io", "v1", "Shop", "shoppen", namespaced=False)' in text


def test_a_property_of_an_object_does_not_hide_its_key(document: Json) -> None:
    """`Resource.key` is used by cache and queue."""
    document["definitions"][SHOP + "Shop"] = shop({"key": {"type": "string"}})

    cls = run_generated(generate(document)["shops/v1.py"])["Shop"]

    assert "key_" in cls.__struct_fields__
    assert "key" in cls.__struct_encode_fields__


def test_definitions_that_refer_to_one_another_work(document: Json) -> None:
    """One of the two has to be named before it is there."""
    left = {"type": "object", "properties": {"right": {"$ref": f"#/definitions/{SHOP}Right"}}}
    right = {"type": "object", "properties": {"left": {"$ref": f"#/definitions/{SHOP}Left"}}}
    document["definitions"] |= {SHOP + "Left": left, SHOP + "Right": right}

    names = run_generated(generate(document)["shops/v1.py"])

    assert names["Left"](right=names["Right"](left=names["Left"]())).right.left.right is None


def test_custom_resources_of_a_live_server_are_left_out(document: Json) -> None:
    """They are the user's; `kubewright.crd` makes classes of them."""
    document["definitions"]["com.example.v1.Shop"] = shop({})

    assert not [name for name in generate(document) if "example" in name]


@pytest.mark.parametrize(
    ("broken", "told"),
    [
        ([], "no OpenAPI v2 document"),
        ({"openapi": "3.0.0", "components": {}}, "no OpenAPI v2 document"),
        ({"definitions": {}}, "no document of a Kubernetes server"),
    ],
)
def test_what_is_no_document_is_refused(broken: Any, told: str) -> None:
    """The message says what was expected."""
    with pytest.raises(InputError, match=told):
        generate(broken)


def test_a_reference_to_nothing_is_refused(document: Json) -> None:
    """A document that was cut by hand easily loses a definition."""
    document["definitions"][SHOP + "Shop"] = shop({"spec": {"$ref": "#/definitions/io.k8s.Lost"}})

    with pytest.raises(InputError, match=r"io\.k8s\.Lost"):
        generate(document)


def test_a_type_that_kubernetes_does_not_have_is_refused(document: Json) -> None:
    """A guess would be wrong on the wire."""
    document["definitions"][SHOP + "Shop"] = shop({"odd": {"type": "tuple"}})

    with pytest.raises(InputError, match="tuple"):
        generate(document)


def test_check_reports_stale_files_and_writes_nothing(
    document: Json, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit status 1 is what CI looks at."""
    source, out = tmp_path / "openapi.json", tmp_path / "kinds"
    source.write_text(json.dumps(document))

    status = main(["--openapi", str(source), "--out", str(out), "--check"])

    assert status == 1
    assert f"stale {out / 'meta/v1.py'}" in capsys.readouterr().out
    assert not out.exists()


def test_a_second_run_changes_nothing(
    document: Json, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """And --check then says so with exit status 0."""
    source, out = tmp_path / "openapi.json", tmp_path / "kinds"
    source.write_text(json.dumps(document))
    arguments = ["--openapi", str(source), "--out", str(out)]

    first, second, check = main(arguments), main(arguments), main([*arguments, "--check"])

    assert (first, second, check) == (0, 0, 0)
    assert capsys.readouterr().out.count("up to date") == 2


def test_files_of_a_group_that_is_gone_are_removed(document: Json, tmp_path: Path) -> None:
    """But never a file that was written by hand."""
    source, out = tmp_path / "openapi.json", tmp_path / "kinds"
    document["definitions"][SHOP + "Shop"] = shop({})
    source.write_text(json.dumps(document))
    main(["--openapi", str(source), "--out", str(out)])
    (out / "by_hand.py").write_text("# mine\n")
    del document["definitions"][SHOP + "Shop"]
    source.write_text(json.dumps(document))

    status = main(["--openapi", str(source), "--out", str(out)])

    assert status == 0
    assert not (out / "shops/v1.py").exists()
    assert (out / "by_hand.py").exists()


@pytest.mark.parametrize("text", [None, "{", "[1, 2]"])
def test_bad_input_is_one_line_and_exit_status_2(
    text: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A traceback tells a user nothing."""
    source = tmp_path / "openapi.json"
    if text is not None:
        source.write_text(text)

    status = main(["--openapi", str(source), "--out", str(tmp_path / "kinds")])

    said = capsys.readouterr().err
    assert status == 2
    assert said.startswith("error: ")
    assert said.count("\n") == 1


class Server(BaseHTTPRequestHandler):
    """Answers ``/openapi/v2`` to whoever has the token."""

    body: ClassVar[bytes] = b""

    def do_GET(self) -> None:
        allowed = self.headers.get("Authorization") == "Bearer sesame"
        self.send_response(200 if allowed and self.path == "/openapi/v2" else 403)
        self.end_headers()
        self.wfile.write(self.body if allowed else b"{}")

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the name of the base class
        """Keep quiet."""


@pytest.fixture
def server(document: Json) -> Iterator[str]:
    """A server on the loopback that has the document."""
    Server.body = json.dumps(document).encode()
    with HTTPServer(("127.0.0.1", 0), Server) as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}/"
        running.shutdown()
        thread.join()


def test_a_live_server_is_asked_for_its_document(
    server: str, document: Json, tmp_path: Path
) -> None:
    """What it answers gives the same files as the document itself."""
    token = tmp_path / "token"
    token.write_text("sesame\n")

    status = main(["--server", server, "--token-file", str(token), "--out", str(tmp_path / "k")])

    assert status == 0
    assert (tmp_path / "k/meta/v1.py").read_text() == generate(document)["meta/v1.py"]


def test_a_server_that_refuses_is_reported(
    server: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With what to do about it."""
    status = main(["--server", server, "--out", str(tmp_path)])

    assert status == 2
    assert "answered 403; give --token" in capsys.readouterr().err


@pytest.mark.parametrize("url", ["http://127.0.0.1:1", "ftp://host", "localhost:6443"])
def test_a_server_that_cannot_be_reached_is_reported(
    url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing listens there, or it is not an address of a server."""
    assert main(["--server", url, "--out", str(tmp_path)]) == 2
    assert capsys.readouterr().err.startswith(f"error: cannot read {url}")

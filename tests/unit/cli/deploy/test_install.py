"""``kubewright install`` and ``uninstall``, against a server on this machine."""

from pathlib import Path

import pytest

from kubewright.testing import EmbeddedServer, probe
from tests.unit.cli.deploy.place import CRD, CRD_NAME, Place, run

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
SHOPS = "/apis/example.com/v1/namespaces/default/shops"


def make_shop(server: EmbeddedServer, name: str, *finalizers: str, where: str = "default") -> None:
    """Create a custom object."""
    metadata = {"name": name, "finalizers": list(finalizers)}
    body = {"apiVersion": "example.com/v1", "kind": "Shop", "metadata": metadata}
    path = SHOPS.replace("default", where)
    assert probe.ask(server, "POST", path, body=body).status == 201


def is_installed(server: EmbeddedServer) -> bool:
    """Whether the CRD is there."""
    return probe.ask(server, "GET", f"{CRDS}/shops.example.com").status == 200


@pytest.mark.usefixtures("place")
def test_a_project_is_installed_once_and_removed_once(server: EmbeddedServer) -> None:
    """Each says what it did; a second time there is nothing to do, or nothing there."""
    dry = run("install", "--dry-run", server=server)
    before = is_installed(server)
    first = run("install", server=server)
    second = run("install", server=server)
    gone = run("uninstall", server=server)
    again = run("uninstall", server=server)
    fine = run("uninstall", "--ignore-not-found", server=server)

    assert dry.out == (
        f"would create     {CRD_NAME}\n1 object: 1 created (dry run: nothing was changed)\n"
    )
    assert not before
    assert first == (0, f"created     {CRD_NAME}\n1 object: 1 created\n", "")
    assert second == (0, "1 object: 1 unchanged\n", "")
    assert gone == (0, f"deleted     {CRD_NAME}\n1 object: 1 deleted\n", "")
    assert (again.status, again.out) == (1, f"missing     {CRD_NAME}\n1 object: 1 missing\n")
    assert again.err == "kubewright: not all were there; with --ignore-not-found that is fine\n"
    assert fine.status == 0


def test_a_file_with_an_operator_is_installed_too(
    server: EmbeddedServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a project: the CRDs are made of its classes."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "at.py").write_text(
        "import kubewright as kw\n"
        "@kw.resource(group='example.com', version='v1')\n"
        "class Shop(kw.Resource):\n"
        "    'A shop.'\n"
        "operator = kw.Operator('at')\n"
        "@operator.reconciler(Shop)\n"
        "async def look(shop: Shop, ctx: kw.Context) -> None: ...\n"
    )

    done = run("install", "at.py", server=server)

    assert done.out == f"created     {CRD_NAME}\n1 object: 1 created\n"


@pytest.mark.usefixtures("place")
def test_kinds_with_objects_stay_until_the_objects_may_go(server: EmbeddedServer) -> None:
    """A CRD takes all objects of its kind with it."""
    run("install", server=server)
    make_shop(server, "a")
    make_shop(server, "b")

    refused = run("uninstall", server=server)
    dry = run("uninstall", "--delete-objects", "--dry-run", server=server)
    there = is_installed(server)
    done = run("uninstall", "--force", server=server)

    assert (refused.status, refused.out) == (1, "1 object: 1 failed\n")
    assert refused.err == (
        f"kubewright: cannot delete {CRD_NAME}: 2 objects of it would go, too:"
        " shop.example.com/a in default, shop.example.com/b in default\n"
        "kubewright: nothing was deleted. Delete the objects first, or let --delete-objects do"
        " it.\n"
    )
    assert dry.out == (
        "would delete     shop.example.com/a in default\n"
        "would delete     shop.example.com/b in default\n"
        f"would delete     {CRD_NAME}\n"
        "3 objects: 3 deleted (dry run: nothing was changed)\n"
    )
    assert there
    assert done.out == (
        "deleted     shop.example.com/a in default\n"
        "deleted     shop.example.com/b in default\n"
        f"deleted     {CRD_NAME}\n"
        "3 objects: 3 deleted\n"
    )
    assert not is_installed(server)


def test_a_kind_that_is_not_served_any_more_stays(place: Place, server: EmbeddedServer) -> None:
    """Its objects are still stored, though nobody can see them."""
    run("install", server=server)
    make_shop(server, "corner")
    place.write("config/crd/bases/shops.yaml", CRD.replace("served: true", "served: false"))
    run("install", server=server)

    refused = run("uninstall", server=server)
    forced = run("uninstall", "--delete-objects", server=server)
    place.write("config/crd/bases/shops.yaml", CRD)
    run("install", server=server)

    assert (refused.status, forced.status) == (1, 1)
    assert "none of its versions is served" in refused.err
    assert probe.ask(server, "GET", f"{SHOPS}/corner").status == 200


@pytest.mark.usefixtures("place")
def test_an_object_that_does_not_go_keeps_its_kind(server: EmbeddedServer) -> None:
    """Without the kind, nobody could remove the finalizer."""
    run("install", server=server)
    make_shop(server, "held", "example.com/cleanup")

    done = run("uninstall", "--delete-objects", "--timeout", "1s", server=server)

    assert done.status == 1
    assert done.err.endswith(
        "kubewright: cannot delete shop.example.com/held in default: it is deleted, and not gone"
        " within 1 seconds: its finalizer 'example.com/cleanup' is still there\n"
        "kubewright: not everything is deleted. Whoever has put a finalizer on these objects has to"
        " remove it: is the operator running?\n"
    )
    assert is_installed(server)


@pytest.mark.usefixtures("place")
def test_objects_of_a_definition_that_cannot_go_are_left(server: EmbeddedServer) -> None:
    """Whose CRD it is comes first: the objects would be lost, and nothing be uninstalled."""
    run("deploy", "--image", "a.b/shop:v1", "--no-wait", server=server)
    make_shop(server, "corner")

    done = run("uninstall", "--delete-objects", server=server)

    assert done.status == 1
    assert "it belongs to another set of objects. Remove it with that one." in done.err
    assert probe.ask(server, "GET", f"{SHOPS}/corner").status == 200


def test_a_definition_that_the_server_refuses_is_said(place: Place, server: EmbeddedServer) -> None:
    """With its field; nothing is waited for."""
    place.write("config/crd/bases/shops.yaml", CRD.replace("name: shops.", "name: stores."))

    done = run("install", server=server)

    assert done.status == 1
    assert done.out == "1 object: 1 failed\n"
    assert 'metadata.name: Invalid value: "stores.example.com"' in done.err


@pytest.mark.usefixtures("place")
def test_a_field_of_another_owner_is_named(server: EmbeddedServer) -> None:
    """Who may be asked, and how it is taken over."""
    run("install", server=server)
    crd = probe.ask(server, "GET", f"{CRDS}/shops.example.com").json()
    crd["spec"]["names"]["shortNames"] = ["sp"]
    place = Path("config/crd/bases/shops.yaml")
    place.write_text(CRD.replace("plural: shops", "plural: shops, shortNames: [sh]"))
    path = f"{CRDS}/shops.example.com?fieldManager=somebody"
    assert probe.ask(server, "PUT", path, body=crd).status == 200

    refused = run("install", server=server)
    forced = run("install", "--force-conflicts", server=server)

    assert refused.err == (
        f"kubewright: cannot apply {CRD_NAME}: others have set these fields to other values\n"
        "  .spec.names.shortNames: somebody using apiextensions.k8s.io/v1\n"
        "Leave the fields to them, or take them over with --force-conflicts.\n"
    )
    assert forced.status == 0


BAD = [
    ([], "config/crd", "config/crd: `kubewright create api` makes a kind, and `kubewright manif"),
    ([], "config/crd/kustomization.yaml", "there is no kustomization in"),
    ([], "config/crd/bases/shops.yaml", "bases/shops.yaml"),
    ([], "PROJECT", "there is no project here: no file PROJECT in"),
    (["nothing.py"], "", "cannot load nothing.py: there is no such file"),
    (["nothing"], "", "cannot load nothing: there is no such file or module"),
    (["--timeout", "soon"], "", "cannot use --timeout: "),
    (["--timeout=-1s"], "", "cannot use --timeout: -1s is less than nothing"),
    (["--kubeconfig", "/nothing"], "", "/nothing"),
    (["--context", "nothing"], "", "no-kubeconfig"),
    (["--kubeconfig", ""], "", "it is empty. Name a path, or leave the option out."),
    (["--unknown"], "", "No such option: --unknown"),
    (["a.py", "b.py"], "", "unexpected extra argument"),
]


@pytest.mark.parametrize("command", ["install", "uninstall"])
@pytest.mark.parametrize(("words", "removed", "said"), BAD)
def test_what_is_wrong_is_said_in_a_line(
    command: str, words: list[str], removed: str, said: str, place: Place
) -> None:
    """With status 2, and before anything is sent."""
    if removed:
        place.remove(removed)

    done = run(command, *words)

    assert said in done.err
    assert done.status == 2
    assert "Traceback" not in done.err


@pytest.mark.parametrize("command", ["install", "uninstall"])
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("resources: []\n", "has no CRDs: `kubewright manifests` writes them from the classes"),
        ("resources: [", "config/crd/kustomization.yaml"),
    ],
)
def test_a_folder_without_definitions_is_said(
    command: str, text: str, said: str, place: Place
) -> None:
    """A new project has none yet."""
    place.write("config/crd/kustomization.yaml", text)

    done = run(command)

    assert (done.status, done.out) == (2, "")
    assert said in done.err


@pytest.mark.usefixtures("place")
def test_a_cluster_that_does_not_answer_is_said(tmp_path: Path) -> None:
    """With its address, since it is often the wrong one."""
    config = tmp_path / "config"
    config.write_text(
        "{apiVersion: v1, kind: Config, current-context: a,"
        " contexts: [{name: a, context: {cluster: a, user: a}}], users: [{name: a}],"
        " clusters: [{name: a, cluster: {server: 'http://127.0.0.1:1'}}]}"
    )

    done = run("install", "--kubeconfig", config)

    assert done.status == 1
    assert "Is the cluster of " in done.err
    assert "http://127.0.0.1:1" in done.err


@pytest.mark.usefixtures("place")
def test_a_missing_right_is_printed_as_a_rule(server: EmbeddedServer, tmp_path: Path) -> None:
    """Somebody else gives it, and can paste it."""
    config = tmp_path / "nobody"
    server.write_kubeconfig(config, server.nobody)

    done = run("install", "--kubeconfig", config)

    assert done.status == 1
    assert "Your user lacks this rule:\n" in done.err
    assert '    resources: ["customresourcedefinitions"]\n' in done.err


CONVERSION = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: shops.example.com}
spec:
  conversion:
    strategy: Webhook
    webhook:
      clientConfig: {service: {name: shop-webhook-service, namespace: system, path: /convert}}
      conversionReviewVersions: [v1]
"""


def test_versions_are_converted_as_in_a_deployment(server: EmbeddedServer, place: Place) -> None:
    """Without the conversion, a server would drop the fields that one of the versions lacks."""
    place.write("config/default/crd_conversion_patch.yaml", CONVERSION)
    text = (place.root / "config/default/kustomization.yaml").read_text()
    place.write(
        "config/default/kustomization.yaml",
        f"{text}patches: [{{path: crd_conversion_patch.yaml}}]\n",
    )

    done = run("install", server=server)
    again = run("install", server=server)

    installed = probe.ask(server, "GET", f"{CRDS}/shops.example.com").json()
    conversion = installed["spec"]["conversion"]
    assert conversion["strategy"] == "Webhook"
    assert conversion["webhook"]["clientConfig"]["service"]["namespace"] == "shop-system"
    assert done.out.endswith(
        "Versions are converted by the operator, which has to be deployed: shops.example.com\n"
        "`kubewright run --install-webhooks` lets a server that reaches this machine ask it"
        " instead.\n"
    )
    assert again.out.startswith("1 object: 1 unchanged\n")


def test_a_project_is_installed_anew_after_it_was_deployed(
    server: EmbeddedServer, place: Place
) -> None:
    """The cycle of everybody who changes a field: the conversion of the deployment stays."""
    place.write("config/default/crd_conversion_patch.yaml", CONVERSION)
    text = (place.root / "config/default/kustomization.yaml").read_text()
    place.write(
        "config/default/kustomization.yaml",
        f"{text}patches: [{{path: crd_conversion_patch.yaml}}]\n",
    )
    run("deploy", "--image", "shop:v1", "--no-wait", server=server)

    done = run("install", server=server)

    assert (done.status, done.out.splitlines()[0]) == (0, "1 object: 1 unchanged")

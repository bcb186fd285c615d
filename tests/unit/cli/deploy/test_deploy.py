"""``kubewright deploy``, against a server on this machine."""

from collections.abc import Iterator

import pytest

from kubewright.testing import EmbeddedCluster, EmbeddedServer, probe
from tests.unit.cli.deploy.place import ACCOUNT_NAME, CRD_NAME, DEPLOYMENT, MANAGER, Place, run

DEPLOY = ("deploy", "--image", "localhost:5000/shop:v1")
BASE = "/apis/apps/v1/namespaces/shop-system/deployments/shop-controller-manager"


@pytest.fixture
def cluster() -> Iterator[EmbeddedServer]:
    """A cluster whose containers are pretended."""
    with EmbeddedCluster() as started:
        yield started


@pytest.mark.usefixtures("place")
def test_it_says_what_it_made_and_when_it_is_ready(cluster: EmbeddedServer) -> None:
    """The second time nothing changes; another image is one line."""
    first = run(*DEPLOY, server=cluster)
    second = run(*DEPLOY, server=cluster)
    third = run("deploy", "--image", "localhost:5000/shop:v2", server=cluster)

    assert first.status == 0
    assert first.out == (
        "created     namespace/shop-system\n"
        f"created     {CRD_NAME}\n"
        f"created     {ACCOUNT_NAME}\n"
        f"created     {DEPLOYMENT}\n"
        "4 objects: 4 created\n"
        f"{DEPLOYMENT} is ready\n"
    )
    assert second.out == f"4 objects: 4 unchanged\n{DEPLOYMENT} is ready\n"
    assert third.out == (
        f"configured  {DEPLOYMENT}: spec.template.spec.containers[manager].image"
        " 'localhost:5000/shop:v1' -> 'localhost:5000/shop:v2'\n"
        "4 objects: 1 configured, 3 unchanged\n"
        f"{DEPLOYMENT} is ready\n"
    )


@pytest.mark.usefixtures("place")
def test_a_project_that_is_not_installed_is_no_surprise(cluster: EmbeddedServer) -> None:
    """Here the image is not used: the pod would crash, and say that there is no such module."""
    done = run(*DEPLOY, "--no-wait", server=cluster)

    assert done.status == 0
    assert done.err == (
        "kubewright: pods of this cluster are processes of this machine, and the project is not"
        " installed here: if the operator cannot be loaded, run `make setup`\n"
    )


@pytest.mark.parametrize(
    ("layout", "named"),
    [
        ("helm.kubewright.dev/v1", "charts"),
        ("ansible.sdk.operatorframework.io/v1", "roles"),
    ],
)
def test_charts_and_roles_are_in_the_image_only(
    layout: str, named: str, place: Place, cluster: EmbeddedServer
) -> None:
    """Here the image is not used, and so the operator would not find them."""
    text = (place.root / "PROJECT").read_text()
    place.write("PROJECT", text.replace("python.kubewright.dev/v1", layout))

    done = run(*DEPLOY, "--no-wait", server=cluster)

    assert done.status == 0
    assert done.err == (
        "kubewright: pods of this cluster are processes of this machine, and have no watches.yaml"
        f" and no {named}: run the operator with `kubewright run` instead\n"
    )


def test_what_leaves_the_project_is_pruned(place: Place, server: EmbeddedServer) -> None:
    """A role that is not needed any more is a right too many."""
    role = "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: role}}"
    place.write("config/rbac/kustomization.yaml", "resources: [account.yaml, role.yaml]\n")
    place.write("config/rbac/role.yaml", role)
    run(*DEPLOY, "--no-wait", server=server)
    place.write("config/rbac/kustomization.yaml", "resources: [account.yaml]\n")

    dry = run(*DEPLOY, "--dry-run", server=server)
    done = run(*DEPLOY, "--no-wait", server=server)

    assert "would prune      clusterrole.rbac.authorization.k8s.io/shop-role\n" in dry.out
    assert done.out == (
        "pruned      clusterrole.rbac.authorization.k8s.io/shop-role\n"
        "5 objects: 1 pruned, 4 unchanged\n"
    )


def test_why_it_does_not_get_ready_is_said(place: Place, cluster: EmbeddedServer) -> None:
    """The image is the usual reason; the status is 1."""
    simulated = (
        'metadata: {labels: {app: shop}, annotations: {kubewright.dev/simulate: "pull=error"}}'
    )
    place.write(
        "config/manager/manager.yaml",
        MANAGER.replace("metadata: {labels: {app: shop}}", simulated),
    )

    done = run(*DEPLOY, "--timeout", "2s", server=cluster)

    assert done.status == 1
    assert f"not ready within 2 seconds: {DEPLOYMENT}: 0 of 1 replicas ready\n" in done.err
    assert "container manager: " in done.err
    assert "Pull" in done.err


def test_objects_that_are_refused_are_all_named_and_the_rest_is_left(
    place: Place, server: EmbeddedServer
) -> None:
    """One look at the output is enough to mend all of them."""
    place.write(
        "config/rbac/account.yaml",
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {a: 1}}\n"
        "---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: b}, dada: {}}\n"
        "---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}\n",
    )

    done = run(*DEPLOY, server=server)

    assert done.status == 1
    assert "created     configmap/shop-c in shop-system\n" in done.out
    assert done.out.endswith("6 objects: 3 created, 2 failed, 1 not begun\n")
    assert "cannot apply configmap/shop-a in shop-system" in done.err
    assert "cannot apply configmap/shop-b in shop-system" in done.err
    assert done.err.endswith("kubewright: not everything is applied, and nothing was pruned\n")
    assert probe.ask(server, "GET", BASE).status == 404


def test_a_selector_that_changed_has_a_way_out(place: Place, server: EmbeddedServer) -> None:
    """It is immutable, and the message of the server does not say what to do."""
    run(*DEPLOY, "--no-wait", server=server)
    place.write("config/manager/manager.yaml", MANAGER.replace("app: shop", "app: store"))

    done = run(*DEPLOY, server=server)

    assert "field is immutable" in done.err
    assert "kubectl delete deployment.apps/shop-controller-manager -n shop-system\n" in done.err


@pytest.mark.usefixtures("place")
def test_a_namespace_that_is_going_is_waited_for_by_the_user(server: EmbeddedServer) -> None:
    """What is put into it now would go with it."""
    path = "/api/v1/namespaces"
    body = {"metadata": {"name": "shop-system"}}
    assert probe.ask(server, "POST", path, body=body).status == 201
    held = {"metadata": {"name": "held", "finalizers": ["example.com/hold"]}}
    configs = f"{path}/shop-system/configmaps"
    assert probe.ask(server, "POST", configs, body=held).status == 201
    assert probe.ask(server, "DELETE", f"{path}/shop-system").status == 200

    done = run(*DEPLOY, server=server)

    assert (
        "cannot apply namespace/shop-system: it is being deleted. Wait until it is gone, and try"
        " again\n"
    ) in done.err
    assert done.out == "4 objects: 1 failed, 3 not begun\n"


@pytest.mark.usefixtures("place")
def test_the_image_may_come_from_the_environment(
    server: EmbeddedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in ``IMG=shop:v1 make deploy``."""
    monkeypatch.setenv("IMG", "from.env/shop:v1")

    run("deploy", "--no-wait", server=server)

    made = probe.ask(server, "GET", BASE).json()
    assert made["spec"]["template"]["spec"]["containers"][0]["image"] == "from.env/shop:v1"


@pytest.mark.usefixtures("place")
def test_another_namespace_is_a_deployment_of_its_own(server: EmbeddedServer) -> None:
    """It does not take what the first one has: its CRD."""
    run(*DEPLOY, "--no-wait", server=server)

    done = run(*DEPLOY, "--no-wait", "--namespace", "other", server=server)

    assert done.status == 1
    assert f"cannot apply {CRD_NAME}: it belongs to another set of objects" in done.err


BAD = [
    (["deploy"], "", "Missing option '--image'"),
    (["deploy", "--image", ""], "", "--image is empty: which image?"),
    (["deploy", "--image", "Shop:v1"], "", "'Shop:v1' is not the name of an image"),
    ([*DEPLOY, "--overlay", "config/none"], "", "there is no kustomization in"),
    ([*DEPLOY, "--overlay", ".."], "", "--overlay: .. is not in the project"),
    ([*DEPLOY, "--overlay", "config/rbac"], "", "so --image changes nothing"),
    ([*DEPLOY, "--namespace", "A"], "", "--namespace: 'A' is not a valid name"),
    ([*DEPLOY, "--timeout", "never"], "", "cannot use --timeout"),
    ([*DEPLOY, "--context", "none"], "", "no-kubeconfig"),
    ([*DEPLOY], "PROJECT", "there is no project here"),
    ([*DEPLOY], "config/default", "there is no kustomization in"),
    ([*DEPLOY], "config/manager/manager.yaml", "manager.yaml"),
]


@pytest.mark.parametrize(("words", "removed", "said"), BAD)
def test_what_is_wrong_is_said_in_a_line(
    words: list[str], removed: str, said: str, place: Place
) -> None:
    """With status 2, and before anything is sent."""
    if removed:
        place.remove(removed)

    done = run(*words)

    assert said in done.err
    assert done.status == 2
    assert "Traceback" not in done.err


def test_an_overlay_without_a_namespace_is_refused(place: Place) -> None:
    """The set has to be somewhere."""
    place.write("config/default/kustomization.yaml", "resources: [../other]\n")
    place.write("config/other/kustomization.yaml", "resources: [a.yaml]\n")
    spec = "{containers: [{name: a, image: controller}]}"
    pod = f"{{apiVersion: v1, kind: Pod, metadata: {{name: a}}, spec: {spec}}}"
    place.write("config/other/a.yaml", pod)

    done = run(*DEPLOY)

    assert done.err == (
        "kubewright: config/default has no Deployment in a namespace, so there is nothing to"
        " deploy. Its kustomization should name config/manager and a namespace\n"
    )

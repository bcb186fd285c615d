"""Projects made of charts: kustomize builds them, and API servers take what comes out of it."""

import shutil
import subprocess
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import yaml

from kubewright.helm.binary import find_helm
from kubewright.testing import EmbeddedServer, probe
from tests.scaffold.charts import CHARTS, write_chart
from tests.scaffold.commands import DEFINITIONS, crds_of, run, wait_until_served
from tests.scaffold.variants import Variant


def make(variant: Variant, folder: Path) -> Path:
    """Make the project in *folder* by its commands, beside the chart that they name."""
    write_chart(folder / "shop")
    root = folder / variant.name
    root.mkdir()
    for command in (f"init {variant.init}", *variant.commands):
        done = run(f"kubewright {command}", root)
        assert done.returncode == 0, f"{command}\n{done.stderr}"
    return root


@pytest.mark.timeout(120)
@pytest.mark.skipif(not shutil.which("kubectl"), reason="there is no kubectl on this machine")
@pytest.mark.parametrize("name", CHARTS)
def test_kustomize_builds_a_project_made_of_charts(name: str, tmp_path: Path) -> None:
    """Ours and that of kubectl, with each folder that has a kustomization."""
    root = make(CHARTS[name], tmp_path)

    for folder in sorted(path.parent for path in root.glob("config/*/kustomization.yaml")):
        built = run(f"kubectl kustomize {folder}", root)
        assert built.returncode == 0, f"{folder}\n{built.stderr}"
    ours = run("kubewright build-installer --image shop:1 --output -", root)
    assert ours.returncode == 0, ours.stderr
    assert run("kubewright manifests --check", root).stderr == ""
    theirs = list(yaml.safe_load_all(run("kubectl kustomize config/default", root).stdout))
    assert len(list(yaml.safe_load_all(ours.stdout))) == len(theirs)


@pytest.fixture
def server() -> Any:
    """Start an API server."""
    with EmbeddedServer() as started:
        yield started


@pytest.mark.timeout(60)
def test_a_typo_in_a_spec_is_refused_or_pruned(tmp_path: Path, server: EmbeddedServer) -> None:
    """That is what a schema is for; the sample of each chart is right."""
    root = make(CHARTS["with schemas"], tmp_path)
    for crd in crds_of(root):
        answer = probe.ask(server, "POST", DEFINITIONS, body=crd)
        assert answer.status == 201, answer.body
        assert "NonStructuralSchema" not in answer.body.decode()
    shops = "/apis/web.example.com/v1/namespaces/default/shops"
    shop = yaml.safe_load((root / "config/samples/web_v1_shop.yaml").read_text())
    shop["spec"]["owner"] = "me"

    def create(place: str, name: str, **changed: Any) -> probe.Answer:
        body = {**shop, "metadata": {"name": name}, "spec": {**shop["spec"], **changed}}
        return probe.ask(server, "POST", place, body=body)

    wait_until_served(server, shops)
    right = create(f"{shops}?fieldValidation=Strict", "right", till={"anything": 1})
    typo = create(f"{shops}?fieldValidation=Strict", "typo", towns="x")
    pruned = create(shops, "pruned", towns="x")
    wrong = create(shops, "wrong", town="UPPER")

    assert right.status == 201, right.body
    assert (typo.status, b'unknown field \\"spec.towns\\"' in typo.body) == (400, True)
    assert (pruned.status, "towns" in pruned.json()["spec"]) == (201, False)
    assert (wrong.status, b"spec.town" in wrong.body) == (422, True)
    nginx = yaml.safe_load((root / "config/samples/web_v1alpha1_nginx.yaml").read_text())
    place = "/apis/web.example.com/v1alpha1/namespaces/default/nginxes?fieldValidation=Strict"
    assert probe.ask(server, "POST", place, body=nginx).status == 201


@pytest.mark.timeout(60)
def test_bytes_of_a_chart_are_copied(tmp_path: Path) -> None:
    """Also those that are not text."""
    root = make(CHARTS["several groups"], tmp_path)

    copied = root / "helm-charts/shop/icon.png"
    assert copied.read_bytes() == (tmp_path / "shop/icon.png").read_bytes()


@pytest.mark.timeout(60)
def test_make_knows_its_targets(tmp_path: Path) -> None:
    """Those of operator-sdk, as far as there is something to do."""
    root = make(CHARTS["nothing yet"], tmp_path)

    helped = run("make help", root)
    done = run("make manifests", root)

    assert "build-installer" in helped.stdout
    assert done.returncode == 0, done.stderr


@pytest.mark.timeout(60)
def test_a_project_of_charts_is_bundled(tmp_path: Path) -> None:
    """With the rights and the sample of each kind, for OLM."""
    root = make(CHARTS["at once"], tmp_path)

    done = run("make bundle IMG=example.com/nginx:1", root)

    assert done.returncode == 0, done.stderr
    names = [one.name for one in sorted((root / "bundle/manifests").iterdir())]
    assert "web.example.com_nginxes.yaml" in names
    [csv] = (root / "bundle/manifests").glob("*.clusterserviceversion.yaml")
    assert '"kind": "Nginx"' in csv.read_text()
    assert "image: example.com/nginx:1\n" in csv.read_text()


@pytest.fixture
def repository(tmp_path: Path) -> Any:
    """Serve a repository with the chart in two versions, as helm makes it; return its address."""
    helm = find_helm()
    if helm is None:
        pytest.skip("there is no helm on this machine")
    write_chart(tmp_path / "shop")
    served = tmp_path / "served"
    for version in ("1.0.0", "1.1.0"):
        words = ["package", "shop", "--destination", str(served), "--version", version]
        subprocess.run([helm, *words], cwd=tmp_path, check=True, capture_output=True)
    subprocess.run([helm, "repo", "index", str(served)], check=True, capture_output=True)
    handler = partial(SimpleHTTPRequestHandler, directory=str(served))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as listening:
        thread = Thread(target=listening.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{listening.server_port}"
        listening.shutdown()
        thread.join()


@pytest.mark.timeout(60)
def test_a_chart_is_pulled_from_a_repository(tmp_path: Path, repository: str) -> None:
    """In the newest version, or the one that is asked for; a name that is not there is told."""
    root = make(CHARTS["nothing yet"], tmp_path)
    command = f"kubewright create api --group web --helm-chart-repo {repository} --helm-chart"

    missing = run(f"{command} shoop", root)
    old = run(f"{command} shop --helm-chart-version 1.0.0", root)
    version = (root / "helm-charts/shop/Chart.yaml").read_text()
    new = run(f"{command} shop --force", root)

    assert missing.returncode == 2
    assert f"helm cannot pull shoop from {repository}: " in missing.stderr
    assert (old.returncode, new.returncode) == (0, 0), old.stderr + new.stderr
    assert "version: 1.0.0\n" in version
    assert "version: 1.1.0\n" in (root / "helm-charts/shop/Chart.yaml").read_text()
    assert "was not rendered" in new.stderr  # as its own values do not fit its schema
    assert "owner is required" in new.stderr


@pytest.mark.timeout(60)
def test_a_new_chart_is_one_that_helm_takes(tmp_path: Path) -> None:
    """With all that its values can switch on."""
    helm = find_helm()
    if helm is None:
        pytest.skip("there is no helm on this machine")
    root = make(CHARTS["at once"], tmp_path)
    values = "ingress.enabled=true,autoscaling.enabled=true,podAnnotations.a=b,image.tag=2"

    lint = run(f"{helm} lint --strict helm-charts/nginx", root)
    made = run(f"{helm} template corner helm-charts/nginx --set {values}", root)

    assert lint.returncode == 0, lint.stdout
    kinds = {one["kind"] for one in yaml.safe_load_all(made.stdout)}
    assert kinds == {
        "ServiceAccount", "Service", "Deployment", "HorizontalPodAutoscaler", "Ingress", "Pod",
    }  # fmt: skip

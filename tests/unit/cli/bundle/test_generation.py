"""``kubewright generate bundle``."""

from datetime import UTC, datetime
from typing import Any

import pytest
import yaml

from kubewright._aio import Clock
from kubewright.cli.bundle.generation import Options, generate_bundle
from tests.unit.cli.bundle.place import BASE, CSV, VALIDATOR, Place, feed, run
from tests.unit.cli.registry.server import serving

ANNOTATIONS = "bundle/metadata/annotations.yaml"
SERVICE = """\
apiVersion: v1
kind: Service
metadata: {name: webhook-service, namespace: system}
spec: {selector: {app: stalls}, ports: [{port: 443, targetPort: 9443}]}
"""
CREATED = "createdAt: '2026-01-01T00:00:00Z'"


class Frozen(Clock):
    """A clock that stands still."""

    def now(self) -> datetime:
        """Return the first of January."""
        return datetime(2026, 1, 1, tzinfo=UTC)


def csv_of(place: Place) -> dict[str, Any]:
    """Return the ClusterServiceVersion."""
    found: dict[str, Any] = yaml.safe_load(place.read(CSV))
    return found


def test_it_writes_a_bundle_that_is_valid(ready: Place) -> None:
    """With the image, the rights, and an example."""
    done = ready.make_bundle()

    spec = csv_of(ready)["spec"]
    install = spec["install"]["spec"]
    [deployment] = install["deployments"]
    assert done.out.splitlines() == [
        "create  bundle.Dockerfile",
        "create  bundle/manifests/shop.example.com_stalls.yaml",
        f"create  {CSV}",
        f"create  {ANNOTATIONS}",
        "create  bundle/tests/scorecard/config.yaml",
    ]
    assert deployment["spec"]["template"]["spec"]["containers"][0]["image"] == "a.b/stalls:v0.1.0"
    assert [one["serviceAccountName"] for one in install["clusterPermissions"]] == [
        "stalls-manager"
    ]
    assert run("bundle", "validate", "bundle").status == 0


def test_a_second_run_changes_nothing_and_not_the_time(ready: Place) -> None:
    """The folder is committed."""
    options = Options(version="0.1.0")
    assert generate_bundle(options, clock=Frozen()) == 0
    before = ready.tree()

    again = generate_bundle(options)

    assert again == 0
    assert CREATED in ready.read(CSV)
    assert ready.tree() == before
    assert generate_bundle(Options(version="0.2.0")) == 0
    assert CREATED not in ready.read(CSV)


def test_files_that_are_gone_are_removed_and_others_stay(ready: Place) -> None:
    """A file that somebody has added has no mark of ours."""
    ready.make_bundle()
    mark = ready.read(CSV).partition("\n")[0]
    ready.write("bundle/manifests/old.yaml", f"{mark}\nkind: Service\n")
    mine = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: mine}\n"
    ready.write("bundle/manifests/mine.yaml", mine)

    done = ready.make_bundle()

    assert done.out == "delete  bundle/manifests/old.yaml\n"
    assert ready.read("bundle/manifests/mine.yaml") == mine


def test_a_bundle_that_would_not_be_valid_is_not_written(ready: Place) -> None:
    """What is wrong with it is told, with its line."""
    ready.change(BASE, "displayName: Stalls\n", "displayName: ''\n")

    done = ready.make_bundle()

    assert done.status == 1
    assert f"{CSV}, line " in done.err
    assert "spec.displayName is missing" in done.err
    assert done.err.endswith("the bundle would not be valid, and nothing was written\n")
    assert not (ready.root / "bundle").exists()


def test_dependencies_come_from_beside_the_base(ready: Place) -> None:
    """bundle/ is made anew, and they are not."""
    text = "dependencies:\n- {type: olm.package, value: {packageName: db, version: '>1.0.0'}}\n"
    ready.write("config/manifests/dependencies.yaml", text)

    ready.make_bundle()

    assert ready.read("bundle/metadata/dependencies.yaml") == text


def test_only_half_of_it_can_be_written(ready: Place) -> None:
    """As operator-sdk does it."""
    ready.make_bundle("--metadata")
    metadata = {path for path in ready.tree() if path.startswith("bundle")}
    ready.make_bundle("--manifests")

    assert metadata == {"bundle.Dockerfile", ANNOTATIONS}
    assert (ready.root / CSV).exists()


def test_metadata_can_be_kept(ready: Place) -> None:
    """For those who have edited it."""
    ready.make_bundle()
    ready.change(ANNOTATIONS, "channels.v1: stable", "channels.v1: fast")

    kept = ready.make_bundle("--no-overwrite")
    ready.make_bundle()

    assert "channels.v1: fast" not in ready.read(ANNOTATIONS)
    assert kept.out == "bundle is up to date\n"


def test_it_can_be_printed_or_only_told(ready: Place) -> None:
    """For a look, or a pipe."""
    shown = ready.make_bundle("--stdout")
    dry = ready.make_bundle("--dry-run")
    quiet = ready.make_bundle("--quiet", "--dry-run")

    kinds = [one["kind"] for one in yaml.safe_load_all(shown.out)]
    assert kinds == ["ClusterServiceVersion", "CustomResourceDefinition"]
    assert dry.out.startswith("would create  bundle.Dockerfile\n")
    assert quiet.out == ""
    assert not (ready.root / "bundle").exists()


def test_objects_can_come_from_files_or_the_input(
    ready: Place, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """From any tool that prints them."""
    ready.make_bundle()
    words = ("generate", "bundle", "--version", "0.1.0", "--stdout")
    ready.write("out/deploy/manager.yaml", ready.read("config/manager/manager.yaml"))
    crd = ready.read("config/crd/bases/shop.example.com_stalls.yaml")
    ready.write("out/crds/crd.yaml", crd)

    both = run(*words, "--deploy-dir", "out/deploy", "--crds-dir", "out/crds")
    one = run(*words, "--input-dir", "out")
    feed(monkeypatch, ready.read("config/manager/manager.yaml") + "---\n" + crd)
    piped = generate_bundle(Options(version="0.1.0", input_dir="-", stdout=True))

    assert (both.status, one.status, piped) == (0, 0, 0)
    assert "kind: CustomResourceDefinition" in capsys.readouterr().out
    assert "displayName: Stalls\n" in both.out  # from the base
    without = "createdAt"
    assert [line for line in both.out.splitlines() if without not in line] == [
        line for line in one.out.splitlines() if without not in line
    ]


def test_without_a_base_or_a_project_there_is_a_bare_one(
    ready: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bundles can be made of anybody's manifests."""
    ready.write("../alone/in/manager.yaml", ready.read("config/manager/manager.yaml"))
    monkeypatch.chdir(ready.root.parent / "alone")

    done = run("generate", "bundle", "--package", "mine", "--version", "1.0.0", "--input-dir", "in")

    made = ready.root.parent / "alone/bundle/manifests/mine.clusterserviceversion.yaml"
    assert done.status == 0
    assert yaml.safe_load(made.read_text())["spec"]["displayName"] == "Mine"


def test_webhooks_are_in_the_csv(place: Place) -> None:
    """And their pods read the certificate that OLM mounts."""
    place.write("stall_project/main.py", place.read("stall_project/main.py") + VALIDATOR)
    listed = "resources: [manifests.yaml, service.yaml]\n"
    place.write("config/webhook/kustomization.yaml", listed)
    place.write("config/webhook/service.yaml", SERVICE)
    place.change("config/default/kustomization.yaml", "../manager]", "../manager, ../webhook]")
    place.prepare()

    assert place.make_bundle().status == 0

    spec = csv_of(place)["spec"]
    [webhook] = spec["webhookdefinitions"]
    pod = spec["install"]["spec"]["deployments"][0]["spec"]["template"]["spec"]
    assert webhook["type"] == "ValidatingAdmissionWebhook"
    assert pod["containers"][0]["args"] == [
        "--webhook-cert-path=/tmp/k8s-webhook-server/serving-certs"
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--version", "1"), "--version: '1' is not a version like 1.2.3 or 1.2.3-rc.1"),
        (("--version", "v0.1.0"), "1.2.3-rc.1. Leave out the v"),
        (("--version", ""), "--version: which version is it? Write it as --version 0.1.0"),
        (("--package", "My_Stalls"), "--package: 'My_Stalls' is not a valid"),
        (("--channels", "a,,b"), "--channels: '' is not the name of a channel. Write them as"),
        (("--default-channel", "a b"), "--channels: 'a b' is not the name of a channel"),
        (("--image", "A B"), "--image: 'A B' is not the name of an image"),
        (("--input-dir", "a", "--deploy-dir", "b"), "name either --input-dir, or --deploy-dir"),
        (("--crds-dir", "a"), "name either --input-dir, or --deploy-dir with or without"),
        (("--input-dir", "none"), "there is no folder none"),
        (("--input-dir", "config/crd"), "there is no Deployment among the objects, so OLM would"),
        (("--kustomize-dir", "none"), "`kubewright generate kustomize manifests` makes it, or"),
        (("--output-dir", "../out"), "--output-dir: ../out is not in "),
        (("--output-dir", "."), "--output-dir: name a folder of its own, such as bundle"),
        (
            ("--replaces", "a", "--input-dir", "stall_project"),
            "there are no objects in stall_project",
        ),
    ],
)
def test_wrong_input_is_refused(ready: Place, words: tuple[str, ...], message: str) -> None:
    """In a line, with status 2, and nothing is written."""
    before = ready.tree()

    done = run("generate", "bundle", "--version", "0.1.0", *words)

    assert (done.status, done.out) == (2, "")
    assert message in done.err
    assert ready.tree() == before


def test_two_bases_are_refused(ready: Place) -> None:
    """Which of them is meant?"""
    second = ready.read(BASE).replace("name: stalls.v0.0.0", "name: other.v0.0.0")
    ready.write("config/manifests/bases/other.yaml", second)
    ready.change(
        "config/manifests/kustomization.yaml", "../default", "bases/other.yaml\n- ../default"
    )

    assert "there are several ClusterServiceVersions: " in ready.make_bundle().err


def test_a_package_has_to_be_named_outside_a_project(
    ready: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is no project to ask."""
    monkeypatch.chdir(ready.root.parent)

    done = run("generate", "bundle", "--version", "1.0.0")

    assert "--package: which package is it? There is no project here to ask" in done.err


def test_images_are_named_by_digests(ready: Place) -> None:
    """Those that their registries have now; the variables that name images are among them."""
    with serving() as registry:
        shop, other = registry.add("stalls:v1"), registry.add("db:v1")
        manager = ready.root / "config/manager/manager.yaml"
        [account, binding, deployment] = list(yaml.safe_load_all(manager.read_text()))
        [container] = deployment["spec"]["template"]["spec"]["containers"]
        container["env"] = [{"name": "RELATED_IMAGE_DB", "value": f"{registry.host}/db:v1"}]
        manager.write_text(yaml.safe_dump_all([account, binding, deployment]))

        done = run(
            "generate", "bundle", "--version", "0.1.0", "--use-image-digests",
            "--image", f"{registry.host}/stalls:v1",
        )  # fmt: skip
        missing = run(
            "generate", "bundle", "--version", "0.2.0", "--use-image-digests",
            "--image", f"{registry.host}/stalls:v2",
        )  # fmt: skip

    assert done.status == 0, done.err
    spec = csv_of(ready)["spec"]
    [deployed] = spec["install"]["spec"]["deployments"]
    [container] = deployed["spec"]["template"]["spec"]["containers"]
    assert container["image"] == f"{registry.host}/stalls@{shop}"
    assert container["env"][0]["value"] == f"{registry.host}/db@{other}"
    assert {one["image"] for one in spec["relatedImages"]} == {
        f"{registry.host}/stalls@{shop}", f"{registry.host}/db@{other}",
    }  # fmt: skip
    assert missing.status == 2
    assert "there is no such image (manifest unknown). Is it pushed?" in missing.err
    assert spec["version"] == csv_of(ready)["spec"]["version"]

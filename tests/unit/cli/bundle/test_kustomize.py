"""``kubewright generate kustomize manifests``."""

from typing import Any

import pytest
import yaml

from kubewright.scaffold.ansible.definition import crd_text
from kubewright.scaffold.project import ANSIBLE, ProjectResource
from tests.unit.cli.bundle.place import BASE, VALIDATOR, Place, feed, run

GENERATE = ("generate", "kustomize", "manifests")
KUSTOMIZATION = "config/manifests/kustomization.yaml"


def spec_of(place: Place) -> dict[str, Any]:
    """Return the spec of the base."""
    found: dict[str, Any] = yaml.safe_load(place.read(BASE))["spec"]
    return found


def test_it_writes_what_a_bundle_is_built_from(place: Place) -> None:
    """With the kinds of the operator, and what belongs to them."""
    done = run(*GENERATE)

    [owned] = spec_of(place)["customresourcedefinitions"]["owned"]
    assert done.out == (
        f"create  {BASE}\ncreate  {KUSTOMIZATION}\ncreate  config/scorecard/config.yaml\n"
        "create  config/scorecard/kustomization.yaml\n"
    )
    assert (owned["kind"], owned["description"]) == ("Stall", "A stall.")
    assert owned["resources"] == [{"kind": "Deployment", "name": "", "version": "v1"}]
    assert [one["path"] for one in owned["specDescriptors"]] == ["size"]
    assert yaml.safe_load(place.read(KUSTOMIZATION))["resources"] == [
        "bases/stalls.clusterserviceversion.yaml", "../default", "../samples", "../scorecard",
    ]  # fmt: skip


def test_roles_are_not_loaded(place: Place) -> None:
    """All that is needed of them is in the CRDs, also where Ansible is not installed."""
    text = place.read("PROJECT").replace("python.kubewright.dev/v1", ANSIBLE)
    place.write("PROJECT", text)
    stall = ProjectResource(kind="Stall", version="v1", group="shop", domain="example.com")
    place.write("config/crd/bases/stalls.yaml", crd_text(stall))
    place.write("stall_project/main.py", "1 / 0\n")

    run(*GENERATE)

    [owned] = spec_of(place)["customresourcedefinitions"]["owned"]
    assert (owned["kind"], owned["name"]) == ("Stall", "stalls.shop.example.com")


def test_a_second_run_changes_nothing(ready: Place) -> None:
    """Or each build would make a commit."""
    before = ready.tree()

    assert run(*GENERATE).out == "config/manifests is up to date\n"
    assert ready.tree() == before


def test_what_people_have_written_stays(ready: Place) -> None:
    """The kinds are brought up to date around it."""
    ready.change(BASE, "displayName: Stalls", "displayName: My stalls  # the brand")
    assert run(*GENERATE).out == "config/manifests is up to date\n"

    ready.change("stall_project/main.py", "size: int = 1", "size: int = 1\n    open: bool = True")
    ready.forget()
    done = run(*GENERATE)

    assert done.out == f"update  {BASE}\n"
    [owned] = spec_of(ready)["customresourcedefinitions"]["owned"]
    assert [one["path"] for one in owned["specDescriptors"]] == ["size", "open"]
    assert spec_of(ready)["displayName"] == "My stalls"


def test_webhooks_that_come_later_are_told_of_their_certificate(ready: Place) -> None:
    """The kustomization that is there gets one entry more."""
    ready.write(KUSTOMIZATION, f"# Mine.\n{ready.read(KUSTOMIZATION)}")
    ready.write("stall_project/main.py", ready.read("stall_project/main.py") + VALIDATOR)
    ready.forget()

    done = run(*GENERATE)

    said = yaml.safe_load(ready.read(KUSTOMIZATION))
    assert done.status == 0
    assert said["patches"] == [
        {"path": "webhook_certificate_patch.yaml", "target": {"kind": "Deployment"}}
    ]
    assert ready.read(KUSTOMIZATION).startswith("# Mine.\n")
    assert run(*GENERATE).out == "config/manifests is up to date\n"


def test_options_say_what_a_catalog_shows(place: Place) -> None:
    """Or the answers to questions do."""
    run(*GENERATE, "--display-name", "Stalls!", "--provider", "Example", "--maintainer",
        "Ann:a@example.com", "--keyword", "market")  # fmt: skip

    spec = spec_of(place)
    assert (spec["displayName"], spec["provider"]) == ("Stalls!", {"name": "Example"})
    assert spec["maintainers"] == [{"name": "Ann", "email": "a@example.com"}]
    assert spec["keywords"] == ["market"]


def test_questions_are_asked_once(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """A base that is there has the answers."""
    from typer.testing import CliRunner

    from kubewright.cli import app as command

    answers = "Stalls!\nSells.\nExample\n\n\n\n"
    first = CliRunner().invoke(command.app, [*GENERATE, "--interactive"], input=answers)
    feed(monkeypatch, "")
    second = run(*GENERATE, "--interactive")

    assert first.exit_code == second.status == 0
    assert spec_of(place)["displayName"] == "Stalls!"


def test_a_dry_run_writes_nothing(place: Place) -> None:
    """And says what it would write."""
    before = place.tree()

    done = run(*GENERATE, "--dry-run")
    quiet = run(*GENERATE, "--dry-run", "--quiet")

    assert done.out.startswith(f"would create  {BASE}\n")
    assert quiet.out == ""
    assert place.tree() == before


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--output-dir", "../out"), "--output-dir: ../out is not a folder in the project"),
        (("--output-dir", "/out"), "--output-dir: /out is not a folder in the project"),
        (("--maintainer", "Ann"), "--maintainer: 'Ann' should be NAME:EMAIL, such as"),
        (("nonsense",), "cannot load nonsense: there is no such file or module"),
        (("stall_project.main:none",), "stall_project.main has no 'none'"),
    ],
)
def test_wrong_input_is_refused(place: Place, words: tuple[str, ...], message: str) -> None:
    """In a line, with status 2, and nothing is written."""
    before = place.tree()

    done = run(*GENERATE, *words)

    assert (done.status, done.out) == (2, "")
    assert message in done.err
    assert place.tree() == before


@pytest.mark.parametrize(
    ("path", "text", "message"),
    [
        (BASE, "a: b: c\n", f"{BASE}: this is not YAML"),
        (BASE, "kind: Service\n", f"{BASE} should have one document, a ClusterServiceVersion."),
        (BASE, "- 1\n", f"{BASE}, line 1: this should be a mapping"),
        (KUSTOMIZATION, "resources: {}\n", "resources is not a list. Add it by hand"),
        ("stall_project/main.py", "1 / 0\n", "cannot load stall_project.main: it fails."),
        ("stall_project/main.py", "import kubewright as kw\noperator = kw.Operator('other')\n",
         "the operator is called 'other', and the project 'stalls'"),
        ("PROJECT", "a: 1\n", "PROJECT: its version is None, and only version '3' is known here"),
    ],
)  # fmt: skip
def test_a_file_that_is_in_the_way_is_told(
    place: Place, path: str, text: str, message: str
) -> None:
    """It is never overwritten blindly."""
    place.write(path, text)

    done = run(*GENERATE)

    assert done.status == 2
    assert message in done.err


def test_outside_a_project_there_is_nothing_to_do(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message says what to do."""
    monkeypatch.chdir(place.root.parent)

    assert "there is no project here: no file PROJECT in" in run(*GENERATE).err


def test_another_folder_sees_the_project_from_there(place: Place) -> None:
    """For projects with a layout of their own."""
    run("manifests")
    done = run(*GENERATE, "--output-dir", "olm")

    assert done.status == 0
    assert "../config/default" in yaml.safe_load(place.read("olm/kustomization.yaml"))["resources"]
    assert place.make_bundle("--kustomize-dir", "olm").status == 0

"""``kubewright bundle validate`` and ``kubewright catalog validate``."""

import json

import pytest

from tests.unit.cli.bundle.place import CSV, Done, Place, run
from tests.unit.cli.registry.server import serving


@pytest.fixture
def made(ready: Place) -> Place:
    """A project with a bundle."""
    assert ready.make_bundle().status == 0
    return ready


def validate(*words: str) -> Done:
    """Check the bundle."""
    return run("bundle", "validate", "bundle", *words)


def test_a_valid_bundle_passes_with_its_warnings(made: Place) -> None:
    """Exit status 0: pipelines go on."""
    done = validate()

    assert done.status == 0
    assert done.out.splitlines()[-1] == "bundle is valid"
    assert "warning  bundle/manifests/" in done.out


def test_errors_are_told_with_file_and_line(made: Place) -> None:
    """Exit status 1: pipelines stop."""
    made.change(CSV, "    strategy: deployment\n", "    strategy: ''\n")

    done = validate()

    assert done.status == 1
    assert done.out.startswith(f"error    {CSV}, line ")
    assert "spec.install.strategy is missing: `deployment` is the only one" in done.out


def test_programs_get_json(made: Place) -> None:
    """In the format of operator-sdk."""
    found = json.loads(validate("--output", "json-alpha1").out)

    assert found["passed"] is True
    assert {one["type"] for one in found["outputs"]} == {"warning"}


def test_optional_validators_are_listed_and_selected(made: Place) -> None:
    """By their labels."""
    listed = validate("--list-optional")
    chosen = validate("--select-optional", "name=operatorhubv2")

    assert "name=good-practices         suite=operatorframework" in listed.out
    assert "spec.icon is missing" in chosen.out
    assert "spec.icon is missing" not in validate().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "which bundle? Name its folder: kubewright bundle validate bundle"),
        (("none",), "there is no bundle none"),
        (("localhost:1/c:v1",), "cannot read the image localhost:1/c:v1 from http://localhost:1"),
        (("PROJECT",), "PROJECT is a file, and should be the folder of a bundle"),
        (
            ("bundle", "--select-optional", "name=x"),
            "--select-optional: 'name=x' selects no validator.",
        ),
        (("bundle", "--select-optional", "name in a"), "--select-optional: "),
        (
            ("bundle", "--optional-values", "k8s"),
            "--optional-values: 'k8s' should be k8s-version=1.25",
        ),
        (("bundle", "--optional-values", "a=b"), "'a=b' should be k8s-version=1.25"),
        (
            ("bundle", "--optional-values", "k8s-version=new"),
            "'new' is not a release of Kubernetes",
        ),
        (("",), "which bundle? Name its folder"),
        (("bundle", "--output", "xml"), "'xml' is not one of"),
    ],
)
def test_wrong_input_is_refused(made: Place, words: tuple[str, ...], message: str) -> None:
    """With status 2, unlike a bundle that is not valid."""
    done = run("bundle", "validate", *words)

    assert done.status == 2
    assert message in " ".join(done.err.split()).replace("│ ", "")


def test_the_folder_above_is_no_bundle(made: Place) -> None:
    """Most likely the wrong folder was named: that is told as an error about it."""
    done = run("bundle", "validate", "config")

    assert done.status == 1
    assert (
        "there is no folder metadata/ with files in it. Is this the folder of a bundle?" in done.out
    )


def test_a_catalog_is_checked(made: Place) -> None:
    """With the same three exit statuses."""
    run("generate", "catalog", "bundle", "--image", "a.b/bundle:v1")
    good = run("catalog", "validate", "catalog")
    programs = run("catalog", "validate", "catalog", "-o", "json-alpha1")
    made.change("catalog/stalls/catalog.yaml", "defaultChannel: stable", "defaultChannel: fast")
    bad = run("catalog", "validate", "catalog")

    assert good == (0, "catalog is valid\n", "")
    assert json.loads(programs.out) == {"passed": True, "outputs": None}
    assert bad.status == 1
    assert bad.out == (
        "error    catalog/stalls/catalog.yaml, line 2: there is no channel 'fast' of stalls. There"
        " are stable\n"
    )


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("none", "there is no catalog none"),
        ("PROJECT", "PROJECT is a file, and should be the folder of a catalog"),
        ("stall_project", "stall_project has no YAML or JSON files with entries of a catalog"),
        ("broken", "broken/a.yaml: this is not YAML"),
        ("", "it is empty. Name a path"),
    ],
)
def test_what_is_no_catalog_is_refused(place: Place, word: str, message: str) -> None:
    """With status 2."""
    place.write("broken/a.yaml", "a: b: c")

    done = run("catalog", "validate", word)

    assert done.status == 2
    assert message in " ".join(done.err.split())


def test_registries_are_asked_for_platforms(ready: Place) -> None:
    """If somebody wants that; one that does not answer is a warning."""
    with serving() as registry:
        registry.add_index("stalls:v1", "linux/amd64", "linux/arm64")
        image = f"{registry.host}/stalls:v1"
        run("generate", "bundle", "--version", "0.1.0", "--image", image)
        select = ("--select-optional", "name=multiarch")

        asked = run("bundle", "validate", "bundle", *select)
    silent = run("bundle", "validate", "bundle", *select)

    assert asked.status == silent.status == 0
    assert "the operator runs on linux/arm64, too, and no label says so" in asked.out
    assert f"nobody knows the platforms of {image}: cannot read the image" in silent.out


def test_the_dockerfile_is_read_for_the_community(ready: Place) -> None:
    """It is beside the bundle, and not in it."""
    ready.make_bundle()
    old = "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: a}\n"
    ready.write("bundle/manifests/a.yaml", old.replace("policy/v1beta1", "batch/v1beta1"))
    role = "apiVersion: rbac.authorization.k8s.io/v1beta1\nkind: Role\nmetadata: {name: a}\n"
    ready.write("bundle/manifests/role.yaml", f"{role}rules: []\n")
    words = ("bundle", "validate", "bundle", "--select-optional", "name=community")

    named = run(*words, "--optional-values", "index-path=bundle.Dockerfile")
    missing = run(*words, "--optional-values", "index-path=none")

    assert "and there is no label com.redhat.openshift.versions" in named.out
    assert missing.status == 2
    assert "--optional-values: cannot read none: " in missing.err

"""The tests of the scorecard."""

import json
from typing import Any

import pytest

from kubewright.bundle import Bundle
from kubewright.bundle.document import read_documents
from kubewright.bundle.scoring import TESTS, score, wanted_stages, wanted_tests
from kubewright.errors import ConfigError
from tests.unit.bundle.sample import CSV_PATH, bundle, changed, one

EXAMPLES = ("metadata", "annotations", "alm-examples")
OWNED = ("spec", "customresourcedefinitions", "owned", 0)


def with_example(**parts: Any) -> Bundle:
    """Return the bundle with one example, of which some parts are different."""
    return changed(CSV_PATH, *EXAMPLES, value=json.dumps([{**one("Shop"), **parts}]))


def run(found: Bundle, name: str) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """Return the state, the errors and the suggestions of one test."""
    [scored] = score(found, wanted_tests(None, f"test={name}-test"))
    return scored.result[1:4]


@pytest.mark.parametrize("name", TESTS)
def test_a_sound_bundle_passes(name: str) -> None:
    """With the resources of its kind, which its project knows."""
    value = [{"kind": "Deployment", "version": "v1", "name": ""}]

    state, errors, _ = run(changed(CSV_PATH, *OWNED, "resources", value=value), name)

    assert (state, errors) == ("pass", ())


@pytest.mark.parametrize(
    ("found", "name", "message"),
    [
        (with_example(spec={}), "basic-check-spec", "Shop sample has no spec"),
        (
            changed(CSV_PATH, *EXAMPLES, value="[]"),
            "basic-check-spec",
            "alm-examples has no objects to look at",
        ),
        (
            changed(CSV_PATH, *EXAMPLES, value="[1,"),
            "olm-bundle-validation",
            "alm-examples is not JSON",
        ),
        (
            with_example(spec={"colours": 1}),
            "olm-crds-have-validation",
            "Shop sample: the schema of its CRD has no spec.colours",
        ),
        (
            with_example(status={"mood": 1}),
            "olm-crds-have-validation",
            "Shop sample: the schema of its CRD has no status.mood",
        ),
        (bundle(), "olm-crds-have-resources", "Shop of v1 has no resources: what do its objects"),
        (
            with_example(spec={"colours": 1}),
            "olm-spec-descriptors",
            "Shop sample: spec.colours has no descriptor",
        ),
    ],
)
def test_what_is_missing_fails(found: Bundle, name: str, message: str) -> None:
    """A console would show it badly, or not at all."""
    state, errors, _ = run(found, name)

    assert state == "fail"
    assert message in errors[0]


def test_the_status_needs_descriptors_only_if_it_is_shown() -> None:
    """Most examples have none."""
    found = with_example(status={"size": 1})
    bare = with_example(status={"size": 1})
    assert bare.csv is not None
    del bare.csv.content["spec"]["customresourcedefinitions"]["owned"][0]["statusDescriptors"]

    assert run(found, "olm-status-descriptors") == ("pass", (), ())
    assert run(bare, "olm-status-descriptors")[1] == ("Shop has no descriptors of its status",)
    assert run(bundle(), "olm-status-descriptors")[2] == ("Shop sample has no status to look at",)


def test_a_test_that_needs_a_pod_is_an_error() -> None:
    """A pass would be a lie."""
    text = (
        "stages:\n- tests:\n  - {image: a.b/c:1, entrypoint: [mine, --fast], labels: {suite: x}}\n"
    )
    [config] = read_documents("c.yaml", text)

    [scored] = score(bundle(), wanted_tests(config))

    assert scored.result.state == "error"
    assert scored.result.errors == (
        "`mine --fast` of a.b/c:1 runs in a pod, and there is no cluster for it",
    )


def test_labels_select() -> None:
    """As in operator-sdk."""
    assert [one.name for one in wanted_tests(None, "suite=basic")] == ["basic-check-spec"]
    assert len(wanted_tests(None)) == 6


@pytest.mark.parametrize(
    ("text", "selector", "message"),
    [
        ("stages: []\n", "", "c.yaml has no stages with tests"),
        ("stages: [{tests: 1}]\n", "", "c.yaml has no stages with tests"),
        (
            "stages: [{tests: [{image: i, entrypoint: [e], labels: {a: b}}]}]\n",
            "a=c",
            "'a=c' selects no test. There are a=b",
        ),
        (
            "stages: [{tests: [{image: i, entrypoint: [e], labels: {a: b}}]}]\n",
            "a in b",
            "--selector: ",
        ),
    ],
)
def test_a_configuration_without_a_test_is_refused(text: str, selector: str, message: str) -> None:
    """Nothing to do would be taken for a pass."""
    [config] = read_documents("c.yaml", text)

    with pytest.raises(ConfigError) as caught:
        wanted_tests(config, selector)

    assert message in str(caught.value)


def test_stages_keep_their_order_and_lose_what_is_not_selected() -> None:
    """A stage without tests is none."""
    text = (
        "stages:\n"
        "- tests:\n  - {image: i, entrypoint: [one], labels: {suite: x}}\n"
        "- parallel: true\n  tests:\n"
        "  - {image: i, entrypoint: [two], labels: {suite: y},"
        " storage: {spec: {mountPath: {path: /out}}}}\n"
        "  - {image: i, entrypoint: [three], labels: {suite: x}}\n"
    )
    [config] = read_documents("c.yaml", text)

    every, some = wanted_stages(config), wanted_stages(config, "suite=y")

    assert [[one.name for one in stage.tests] for stage in every] == [["one"], ["two", "three"]]
    assert [stage.parallel for stage in every] == [False, True]
    assert [[one.storage for one in stage.tests] for stage in some] == [["/out"]]


def test_a_test_needs_an_image_and_an_entrypoint() -> None:
    """A pod without either would never start."""
    [config] = read_documents("c.yaml", "stages: [{tests: [{image: i}]}]\n")

    with pytest.raises(ConfigError, match=r"c.yaml: each test needs an image and an entrypoint"):
        wanted_stages(config)


def test_only_the_tests_of_that_image_run_here() -> None:
    """Somebody's own may have the same name."""
    text = "stages: [{tests: [{image: a.b/mine, entrypoint: [scorecard-test, basic-check-spec]}]}]"
    [config] = read_documents("c.yaml", text)

    [mine] = wanted_tests(config)
    [theirs] = wanted_tests(None, "suite=basic")

    assert not mine.is_own
    assert theirs.is_own

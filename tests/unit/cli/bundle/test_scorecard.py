"""``kubewright scorecard``."""

import json
from xml.etree import ElementTree as ET

import pytest

from tests.unit.cli.bundle.place import CSV, Place, run


@pytest.fixture
def made(ready: Place) -> Place:
    """A project with a bundle."""
    assert ready.make_bundle().status == 0
    return ready


def test_a_new_project_passes(made: Place) -> None:
    """All of it comes from the classes and the sample."""
    done = run("scorecard", "bundle")

    assert done.status == 0
    assert [line for line in done.out.splitlines() if not line.startswith(" ")] == [
        "pass   basic-check-spec",
        "pass   olm-bundle-validation",
        "pass   olm-crds-have-validation",
        "pass   olm-crds-have-resources",
        "pass   olm-spec-descriptors",
        "pass   olm-status-descriptors",
    ]


def test_what_fails_is_told(made: Place) -> None:
    """With status 1, in each form."""
    made.change(CSV, '"size": 3', '"sizes": 3')

    words = ("scorecard", "bundle", "--selector", "test=olm-spec-descriptors-test")
    text, programs, xunit = run(*words), run(*words, "-o", "json"), run(*words, "-o", "xunit")

    assert text == (
        1,
        "fail   olm-spec-descriptors\n       error: Stall sample: spec.sizes has no descriptor\n",
        "",
    )
    assert json.loads(programs.out)["items"][0]["status"] == {
        "results": [
            {
                "name": "olm-spec-descriptors",
                "state": "fail",
                "errors": ["Stall sample: spec.sizes has no descriptor"],
            }
        ]
    }
    suite = ET.fromstring(xunit.out)
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("1", "1", "0")
    assert suite[0].get("classname") == "olm"


def test_tests_are_listed(made: Place) -> None:
    """With the labels to select them by."""
    done = run("scorecard", "bundle", "--list")

    assert done.out.startswith(
        "basic-check-spec            suite=basic,test=basic-check-spec-test\n"
    )


def test_a_bundle_without_a_configuration_gets_all_tests(made: Place) -> None:
    """Bundles of others often have none."""
    (made.root / "bundle/tests/scorecard/config.yaml").unlink()

    assert len(run("scorecard", "bundle", "--list").out.splitlines()) == 6


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("none",), "there is no bundle none"),
        (("PROJECT",), "PROJECT is a file, and should be the folder of a bundle"),
        (("bundle", "--config", "none"), "cannot read none: "),
        (("bundle", "--config", "broken.yaml"), "broken.yaml: this is not YAML"),
        (("bundle", "--config", "two.yaml"), "two.yaml should have one document, and has 2"),
        (("bundle", "--config", "PROJECT"), "PROJECT has no stages with tests"),
        (
            ("bundle", "--selector", "a=b"),
            "--selector: 'a=b' selects no test. There are suite=basic",
        ),
        (("bundle", "--selector", "a in"), "--selector: "),
        (("bundle", "--output", "yaml"), "'yaml' is not one of 'text', 'json', 'xunit'"),
        ((), "Missing argument 'FOLDER|IMAGE'"),
    ],
)
def test_wrong_input_is_refused(made: Place, words: tuple[str, ...], message: str) -> None:
    """With status 2, unlike a test that fails."""
    made.write("broken.yaml", "a: b: c")
    made.write("two.yaml", "a: 1\n---\nb: 1\n")

    done = run("scorecard", *words)

    assert done.status == 2
    assert message in " ".join(done.err.split())

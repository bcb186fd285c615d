"""``kubewright generate catalog``."""

import pytest
import yaml

from tests.unit.cli.bundle.place import CSV, Done, Place, run
from tests.unit.cli.registry.server import layer, serving

CATALOG = "catalog/stalls/catalog.yaml"


@pytest.fixture
def made(ready: Place) -> Place:
    """A project with a bundle."""
    assert ready.make_bundle().status == 0
    return ready


def generate(*words: str) -> Done:
    """Make a catalog of the bundle."""
    return run("generate", "catalog", "bundle", "--image", "a.b/stalls-bundle:v0.1.0", *words)


def test_it_makes_a_catalog_and_its_dockerfile(made: Place) -> None:
    """What opm serves."""
    done = generate()

    entries = list(yaml.safe_load_all(made.read(CATALOG)))
    assert done == (0, f"create  {CATALOG}\ncreate  catalog.Dockerfile\n", "")
    assert [one["schema"] for one in entries] == ["olm.package", "olm.channel", "olm.bundle"]
    assert "ADD catalog /configs\n" in made.read("catalog.Dockerfile")
    assert generate().out == "catalog is up to date\n"
    assert run("catalog", "validate", "catalog").status == 0


def test_the_next_version_is_added(made: Place) -> None:
    """Each replaces the one before it."""
    generate()
    run("generate", "bundle", "--version", "0.2.0", "--channels", "stable")

    refused = run("generate", "catalog", "bundle", "--image-base", "a.b/stalls-bundle")
    done = run(
        "generate", "catalog", "bundle", "--image-base", "a.b/stalls-bundle", "--mode", "semver"
    )

    [_, channel, *bundles] = yaml.safe_load_all(made.read(CATALOG))
    assert refused.status == 1
    assert "needs one newest version, which no other replaces or skips, and has 2" in refused.out
    assert "the catalog would not be valid, and nothing was written" in refused.err
    assert done.out == f"update  {CATALOG}\n"
    assert channel["entries"][1] == {"name": "stalls.v0.2.0", "replaces": "stalls.v0.1.0"}
    assert bundles[1]["image"] == "a.b/stalls-bundle:v0.2.0"


def test_it_can_be_printed_or_only_told(made: Place) -> None:
    """For a look, or a pipe."""
    shown = generate("--stdout")
    dry = generate("--dry-run")

    assert len(list(yaml.safe_load_all(shown.out))) == 3
    assert dry.out == f"would create  {CATALOG}\nwould create  catalog.Dockerfile\n"
    assert not (made.root / "catalog").exists()


def test_a_bundle_that_is_not_valid_is_not_added(made: Place) -> None:
    """A catalog with one such bundle is not served."""
    made.change(CSV, "strategy: deployment", "strategy: ''")

    done = generate()

    assert done.status == 1
    assert "spec.install.strategy is missing" in done.out
    assert not (made.root / "catalog").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("bundle",), "name the image of the bundle with --image, or with --image-base"),
        (("bundle", "--image", "a.b/c:1", "--image-base", "a.b/c"), "name the image of the bundle"),
        (("bundle", "bundle", "--image", "a.b/c:1"), "--image is for one bundle. Use --image-base"),
        (("bundle", "--image", "A B"), "--image: 'A B' is not the name of an image"),
        (
            ("bundle", "--image-base", "https://a.b/c"),
            "--image-base: 'https://a.b/c' is not the name",
        ),
        (("bundle", "--image-base", "a.b/c:v1"), "--image-base: a.b/c:v1 has a tag already. Leave"),
        (("none", "--image", "a.b/c:1"), "there is no bundle none"),
        (
            ("PROJECT", "--image", "a.b/c:1"),
            "PROJECT is a file, and should be the folder of a bundle",
        ),
        ((), "Missing argument 'BUNDLE...'"),
        (
            ("bundle", "--image", "a.b/c:1", "--mode", "new"),
            "'new' is not one of 'replaces', 'semver'",
        ),
        (
            ("bundle", "--image", "a.b/c:1", "--output-dir", "broken"),
            "catalog.yaml: this is not YAML",
        ),
    ],
)
def test_wrong_input_is_refused(made: Place, words: tuple[str, ...], message: str) -> None:
    """With status 2, and nothing is written."""
    made.write("broken/stalls/catalog.yaml", "a: b: c")
    before = made.tree()

    done = run("generate", "catalog", *words)

    assert done.status == 2
    assert message in " ".join(done.err.split())
    assert made.tree() == before


def test_a_bundle_can_be_an_image(made: Place) -> None:
    """Its name in the catalog is its digest, so nobody can put another one there."""
    files = {
        path.relative_to(made.root / "bundle").as_posix(): path.read_text()
        for path in (made.root / "bundle").rglob("*.yaml")
    }
    with serving() as registry:
        digest = registry.add("stalls-bundle:v0.1.0", layer(files))
        name = f"{registry.host}/stalls-bundle:v0.1.0"

        done = run("generate", "catalog", name)
        twice = run("generate", "catalog", name, "--image", "a.b/c:v1")
        wrong = run("generate", "catalog", f"{registry.host}/other:v1")

    *_, bundle = yaml.safe_load_all(made.read(CATALOG))
    assert done.status == 0, done.err
    assert bundle["image"] == f"{registry.host}/stalls-bundle@{digest}"
    assert twice.status == wrong.status == 2
    assert "--image and --image-base are for folders: images have their names" in twice.err
    assert "there is no such image" in wrong.err

"""The annotations, and the Dockerfile with the same as labels."""

import yaml

from kubewright.bundle.annotations import Annotations, annotations_text, dockerfile_text

SAID = Annotations("shop", ("stable", "fast"), "stable", "kubewright-v1", "python", tests=True)


def test_the_file_says_what_the_labels_say() -> None:
    """OLM reads one or the other."""
    said = SAID.as_mapping()
    text = dockerfile_text(said, "bundle", tests=True)

    assert yaml.safe_load(annotations_text(said)) == {"annotations": said}
    assert [line for line in text.splitlines() if line.startswith("LABEL")] == [
        f"LABEL {key}={value}" for key, value in said.items()
    ]
    assert said["operators.operatorframework.io.bundle.channels.v1"] == "stable,fast"


def test_the_dockerfile_copies_the_folders() -> None:
    """The bundle may be in a folder of another name."""
    text = dockerfile_text({}, "out/shop", tests=True)

    assert [line for line in text.splitlines() if not line.startswith("#") and line] == [
        "FROM scratch",
        "COPY out/shop/manifests /manifests/",
        "COPY out/shop/metadata /metadata/",
        "COPY out/shop/tests/scorecard /tests/scorecard/",
    ]
    assert "scorecard" not in dockerfile_text({}, "bundle", tests=False)


def test_what_is_not_known_is_left_out() -> None:
    """An empty default channel is worse than none."""
    said = Annotations("shop").as_mapping()

    assert "operators.operatorframework.io.bundle.channel.default.v1" not in said
    assert not [key for key in said if ".test." in key]

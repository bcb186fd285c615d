"""Tests of a scorecard in pods."""

import io
import tarfile

import pytest

from kubewright.bundle.scoring import Result, Wanted
from kubewright.bundle.testrun import PodSettings, archive_map, archive_of, pod_of, results_of
from kubewright.errors import ConfigError

WANTED = Wanted(("mine", "first"), "a.b/mine:v1", {})
HERE = PodSettings("here", account="tester")


def test_the_archive_has_all_files_and_is_always_the_same() -> None:
    """A pod unpacks it with tar."""
    files = {"manifests/b.yaml": "b", "manifests/a.yaml": "ä"}

    packed = archive_of(files)

    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        found = {one.name: archive.extractfile(one).read().decode() for one in archive}  # type: ignore[union-attr]
    assert found == files
    assert packed == archive_of(dict(reversed(files.items())))
    assert archive_map("run", packed, HERE)["metadata"]["labels"]["testrun"] == "run"


def test_a_bundle_that_does_not_fit_is_told() -> None:
    """Before anything is made in the cluster."""
    from random import Random

    noise = Random(1).randbytes(900_000).hex()  # not a secret

    with pytest.raises(ConfigError, match="pods get it from a ConfigMap, which takes 750,000"):
        archive_of({"a.yaml": noise * 2})


def test_a_pod_runs_the_command_beside_the_bundle() -> None:
    """As operator-sdk's pods do, so that the same images work."""
    pod = pod_of(WANTED, "run-1", "run", HERE)

    [container] = pod["spec"]["containers"]
    [untar] = pod["spec"]["initContainers"]
    assert container["command"] == ["mine", "first"]
    assert container["env"][0]["name"] == "SCORECARD_NAMESPACE"
    assert container["volumeMounts"][0]["mountPath"] == "/bundle"
    assert untar["command"][:2] == ["tar", "xzf"]
    assert pod["spec"]["serviceAccountName"] == "tester"
    assert pod["spec"]["restartPolicy"] == "Never"


def test_a_pod_can_keep_the_strictest_standard() -> None:
    """Where namespaces enforce it; by default, images run as who they want."""
    strict = pod_of(WANTED, "a", "r", HERE._replace(restricted=True))["spec"]
    loose = pod_of(WANTED, "a", "r", PodSettings("here"))["spec"]

    assert strict["securityContext"]["runAsNonRoot"] is True
    assert strict["initContainers"][0]["securityContext"]["allowPrivilegeEscalation"] is False
    assert "securityContext" not in loose
    assert "serviceAccountName" not in loose


def test_a_log_is_read() -> None:
    """It may have several results."""
    log = (
        '{"results": [{"name": "a", "state": "pass", "log": "fine", "suggestions": ["b"]},'
        ' {"name": "c", "state": "fail", "errors": ["d", 1]}]}\n'
    )

    assert results_of(WANTED, log) == [
        Result("a", "pass", (), ("b",), "fine"),
        Result("c", "fail", ("d",)),
    ]


@pytest.mark.parametrize(
    "log",
    ["", "Traceback: no", "[]", "{}", '{"results": []}', '{"results": [{"state": "maybe"}]}',
     '{"results": [{"state": "pass"}, 1]}', '{"results": "x"}', "null"],
)  # fmt: skip
def test_a_log_that_says_nothing_is_an_error(log: str) -> None:
    """A pass would be a lie."""
    [found] = results_of(WANTED, log)

    assert (found.name, found.state) == ("first", "error")
    assert "its log should be like" in found.errors[0]
    assert log.strip() in found.errors[0]

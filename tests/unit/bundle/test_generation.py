"""The files of a bundle."""

from random import Random

import pytest
import yaml

from kubewright.bundle.annotations import Annotations
from kubewright.bundle.collection import collect
from kubewright.bundle.generation import Wanted, bundle_files, is_ours, metadata_files
from kubewright.bundle.scorecard import configuration
from kubewright.errors import ConfigError
from tests.unit.bundle.sample import (
    CRD_PATH,
    CSV_PATH,
    base,
    damaged,
    files,
    objects,
    one,
    put,
    release,
)

WANTED = Wanted(release(), Annotations("shop"))
MAP = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "x"}}


def test_the_names_are_those_of_operator_sdk() -> None:
    """Diffs between tools stay small."""
    assert sorted(path for path in files() if path.startswith("manifests/")) == [
        CRD_PATH,
        "manifests/shop-viewer_rbac.authorization.k8s.io_v1_clusterrole.yaml",
        CSV_PATH,
    ]


def test_objects_are_written_without_their_namespace() -> None:
    """OLM installs them where the operator is."""
    other = put(MAP, ("data",), {"b": "c"})

    found = bundle_files(base(), collect([*objects(), MAP, other]), WANTED)

    assert yaml.safe_load(found["manifests/a_v1_configmap.yaml"])["metadata"] == {"name": "a"}
    assert yaml.safe_load(found["manifests/dup0_a_v1_configmap.yaml"])["data"] == {"b": "c"}


def test_a_crd_loses_what_a_server_or_cert_manager_fills_in() -> None:
    """OLM does that instead."""
    crd = put(one("CustomResourceDefinition"), ("status",), {"storedVersions": []})
    marks = {"cert-manager.io/inject-ca-from": "a/b", "keep": "me"}
    crd = put(crd, ("metadata", "annotations"), marks)

    found = yaml.safe_load(bundle_files(base(), collect([crd]), WANTED)[CRD_PATH])

    assert found["metadata"]["annotations"] == {"keep": "me"}
    assert "status" not in found


def test_the_scorecard_goes_to_tests() -> None:
    """Where annotations say that it is."""
    found = bundle_files(base(), collect([*objects(), configuration()]), WANTED)

    assert "tests/scorecard/config.yaml" in found


def test_our_files_are_known_by_their_first_line() -> None:
    """A file that somebody has added is never removed."""
    assert all(is_ours(text) for text in files().values())
    assert not is_ours("kind: Service\n")
    assert set(metadata_files(Annotations("shop"), "bundle")) == {
        "metadata/annotations.yaml",
        "bundle.Dockerfile",
    }


@pytest.mark.parametrize("seed", range(40))
def test_wrong_objects_are_refused_or_become_a_bundle(seed: int) -> None:
    """The validation judges what comes out; a crash would tell nobody which object it is."""
    random = Random(seed)
    given = objects()
    at = random.randrange(len(given))
    given[at] = damaged(given[at], random)

    told = ""
    try:
        found = bundle_files(damaged(base(), random), collect(given), WANTED)
    except ConfigError as error:
        found, told = {}, str(error)

    assert CSV_PATH in found or "this is not an object" in told or "is not whole" in told

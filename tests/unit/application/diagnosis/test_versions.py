from kubewright.api.kind import GroupVersion, RESTMapping
from kubewright.application.diagnosis.versions import judge
from kubewright.client.discovery_format import APIResource, Discovery
from tests.unit.application.diagnosis.ward import told


def served(*versions: str, kind: str = "CronJob", plural: str = "cronjobs") -> Discovery:
    """Return a server that serves a kind in these versions."""
    resources: dict[GroupVersion, tuple[APIResource, ...]] = {}
    for text in versions:
        gv = GroupVersion.parse(text)
        found = APIResource(
            plural, "", namespaced=True, kind=kind, group=gv.group, version=gv.version
        )
        resources[gv] = (found,)
    return Discovery((), resources, {})


V1 = RESTMapping("batch", "v1", "CronJob", "cronjobs", namespaced=True)
OLD = RESTMapping("batch", "v1beta1", "CronJob", "cronjobs", namespaced=True)


def test_a_version_that_is_served_is_fine() -> None:
    """There is nothing to say."""
    assert list(judge(V1, served("batch/v1"))) == []


def test_a_version_that_is_gone_names_those_that_are_there() -> None:
    """An operator that was written years ago waits for it for ever."""
    (found,) = judge(OLD, served("batch/v1"))

    assert told([found]) == [("error", "cronjobs of batch/v1beta1")]
    assert found.what.endswith("It serves v1.")


def test_a_version_that_is_about_to_go_is_told() -> None:
    """Before the upgrade of the cluster, not after it."""
    (found,) = judge(OLD, served("batch/v1", "batch/v1beta1"))

    assert told([found]) == [("warning", "cronjobs of batch/v1beta1")]
    assert "removed in 1.25" in found.what


def test_a_kind_of_others_that_is_missing_is_told() -> None:
    """Its operator was not installed."""
    wanted = RESTMapping("cert-manager.io", "v1", "Certificate", "certificates", namespaced=True)

    (found,) = judge(wanted, served("batch/v1"))

    assert "Install what provides it" in found.mend[0]
    assert found.mend[1] == "kubectl api-resources --api-group cert-manager.io"

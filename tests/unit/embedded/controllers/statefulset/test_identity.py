from kubewright.embedded.controllers.statefulset.identity import (
    claims_for,
    is_member,
    ordinal_of,
    ordinals,
    pod_for,
)
from kubewright.kinds.core.v1 import EmptyDirVolumeSource, Volume
from tests.unit.embedded.controllers.statefulset.objects import CLAIM, stateful_set


def test_the_ordinal_is_at_the_end_of_the_name() -> None:
    """And a pod without one is none of a set."""
    made = stateful_set()

    assert [ordinal_of(name) for name in ("web-0", "web-12", "web", "web-x")] == [0, 12, -1, -1]
    assert is_member(made, "web-7")
    assert not is_member(made, "web-a-7")
    assert not is_member(made, "other-7")


def test_ordinals_begin_where_the_user_says() -> None:
    """So that two sets can share one row of names."""
    assert list(ordinals(stateful_set(3))) == [0, 1, 2]
    assert list(ordinals(stateful_set(2, ordinals={"start": 5}))) == [5, 6]


def test_claims_replace_volumes_of_their_name() -> None:
    """A volume of the template with the name of a claim is only a placeholder."""
    made = stateful_set(volumeClaimTemplates=[CLAIM])
    empty = EmptyDirVolumeSource()
    made.spec.template.spec.volumes = [
        Volume(name=name, empty_dir=empty) for name in ("data", "scratch")
    ]

    pod = pod_for(made, 2, made.spec.template, "web-abc")

    first, second = pod.spec.volumes
    assert first.persistent_volume_claim is not None
    assert (first.name, first.persistent_volume_claim.claim_name) == ("data", "data-web-2")
    assert second.name == "scratch"


def test_a_claim_has_the_labels_of_template_and_set() -> None:
    """`kubectl delete pvc -l app=web` is how people clean up."""
    (claim,) = claims_for(stateful_set(volumeClaimTemplates=[CLAIM]), 1)

    assert (claim.metadata.name, claim.metadata.namespace) == ("data-web-1", "default")
    assert claim.metadata.labels == {"kept": "yes", "app": "web"}
    assert claim.spec.access_modes == ["ReadWriteOnce"]
    assert claim.status.phase is None

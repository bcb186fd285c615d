from kubewright.embedded.storage.annotations import BIND_COMPLETED, BOUND_BY_CONTROLLER
from kubewright.embedded.storage.binding import bind_claim, reserve_volume, unbind_volume
from kubewright.kinds.core.v1 import PersistentVolumeClaim
from tests.unit.embedded.storage.samples import claim, reference, volume


def mine() -> PersistentVolumeClaim:
    made = claim()
    made.metadata.uid = "u1"
    return made


def test_a_volume_says_whether_we_chose_its_claim() -> None:
    """What a user has reserved stays theirs when it is let go."""
    free, reserved = volume(), volume(claim_ref=reference())

    for one in (free, reserved):
        reserve_volume(one, mine())

    assert free.spec.claim_ref.uid == reserved.spec.claim_ref.uid == "u1"
    assert free.metadata.annotations == {BOUND_BY_CONTROLLER: "yes"}
    assert reserved.metadata.annotations == {}
    for one in (free, reserved):
        unbind_volume(one)
    assert free.spec.claim_ref is None
    assert free.metadata.annotations == {}
    assert (reserved.spec.claim_ref.name, reserved.spec.claim_ref.uid) == ("data", None)


def test_a_volume_that_names_this_very_claim_is_not_changed() -> None:
    """A second write would be one for nothing."""
    bound = volume(claim_ref=reference(uid="u1"))

    reserve_volume(bound, mine())

    assert bound.spec.claim_ref == reference(uid="u1")


def test_a_claim_says_whether_we_chose_its_volume() -> None:
    """And in both cases that it is settled."""
    free, asking = claim(), claim(volume_name="disk")

    for one in (free, asking):
        bind_claim(one, volume())

    assert free.spec.volume_name == "disk"
    assert free.metadata.annotations == {BOUND_BY_CONTROLLER: "yes", BIND_COMPLETED: "yes"}
    assert asking.metadata.annotations == {BIND_COMPLETED: "yes"}

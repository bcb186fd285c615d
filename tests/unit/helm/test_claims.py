"""Which revision is built on, and whose it is."""

import pytest

from kubewright.api.kind import GroupKind, ObjectKey
from kubewright.helm.claims import base_of, is_of
from kubewright.helm.holder import Holder
from kubewright.helm.objects import Owner
from kubewright.helm.storage import Record

REFERENCE = {"apiVersion": "example.com/v1", "kind": "Shop", "name": "corner", "uid": "us"}
OWNER = Owner("corner", "default", REFERENCE)


def record(version: int, status: str = "deployed", *, inputs: str = "a", uid: str = "us") -> Record:
    """Return a revision."""
    key = ObjectKey("default", f"sh.helm.release.v1.corner.v{version}")
    holder = Holder(GroupKind("example.com", "Shop"), "corner", uid) if uid else None
    return Record(key, version, status, inputs, "1", 0, holder)


@pytest.mark.parametrize(
    ("statuses", "version"),
    [
        ("", 0),
        ("failed", 0),
        ("pending-install", 0),
        ("superseded deployed failed", 2),
        ("superseded superseded failed", 2),
        ("superseded pending-rollback", 1),
        ("superseded uninstalled", 0),
        ("superseded uninstalling failed", 0),
        ("uninstalled superseded failed", 2),
    ],
)
def test_base_is_what_was_deployed_last(statuses: str, version: int) -> None:
    """If that is forgotten, what runs is taken for rubbish of an install."""
    records = [record(number, one) for number, one in enumerate(statuses.split(), 1)]

    base = base_of(records)

    assert (0 if base is None else base.version) == version


@pytest.mark.parametrize(
    ("found", "ours"),
    [
        (record(1), True),
        (record(1, inputs=""), False),
        (record(1, uid="before"), False),
        (record(1, uid=""), False),
    ],
)
def test_record_is_ours_by_its_inputs_and_its_owner(found: Record, ours: bool) -> None:
    """One of the two says only that somebody has made it, or for whom."""
    assert is_of(found, OWNER) is ours

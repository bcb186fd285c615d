"""Digests of objects."""

from typing import Any

from kubewright.ansible.digests import DIGEST, digest_of, with_digest_only

OBJECT: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "a", "uid": "1", "resourceVersion": "5", "managedFields": []},
    "spec": {"b": 1, "a": 2},
    "status": {"phase": "Pending"},
}


def test_status_and_version_do_not_count() -> None:
    """Nor does the order of fields."""
    other = {
        "kind": "Pod",
        "spec": {"a": 2, "b": 1},
        "metadata": {"uid": "1", "name": "a", "resourceVersion": "6"},
    }

    assert digest_of(OBJECT) == digest_of(other)
    assert digest_of(OBJECT) != digest_of({**OBJECT, "spec": {}})
    assert digest_of(OBJECT, with_status=True) != digest_of(other, with_status=True)


def test_caches_keep_the_digest_alone() -> None:
    """The transform may be applied to what it has made."""
    kept = with_digest_only(OBJECT)

    assert kept["metadata"] == {"name": "a", "uid": "1", "resourceVersion": "5"}
    assert kept[DIGEST] == digest_of(OBJECT)
    assert "spec" not in kept
    assert with_digest_only(kept) == kept

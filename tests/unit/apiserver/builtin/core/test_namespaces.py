import copy

import pytest

from kubewright.apiserver.builtin.core.namespaces import NamespaceStrategy, is_finalized
from tests.unit.apiserver.builtin.kind_server import KindServer


def namespaces() -> KindServer:
    return KindServer("", "namespaces")


def test_a_namespace_begins_active_with_its_finalizer_and_label() -> None:
    """Network policies select by the label."""
    found = namespaces().create({"status": {"phase": "Terminating"}})

    assert found["spec"] == {"finalizers": ["kubernetes"]}
    assert found["status"] == {"phase": "Active"}
    assert found["metadata"]["labels"] == {"kubernetes.io/metadata.name": "x"}


def test_an_update_leaves_the_finalizers_alone() -> None:
    """A client that removed them would leave objects behind."""
    server = namespaces()
    found = server.create()

    changed = server.update(found, spec={"finalizers": ["a.b/c"]})

    assert changed["spec"] == {"finalizers": ["kubernetes"]}


def test_the_label_cannot_be_taken_away() -> None:
    """It is set again with every write."""
    server = namespaces()
    found = server.create()
    bare = {**found["metadata"], "labels": {"a": "b"}}

    changed = server.update(found, metadata=bare)

    assert changed["metadata"]["labels"] == {"a": "b", "kubernetes.io/metadata.name": "x"}


def test_finalize_changes_the_finalizers_and_not_the_status() -> None:
    """That is how the namespace controller lets go of it."""
    strategy, write = NamespaceStrategy(), namespaces().write()
    old = namespaces().create()
    new = copy.deepcopy(old) | {"spec": {}, "status": {"phase": "Terminating"}}

    strategy.prepare_finalize(new, old, write)

    assert (is_finalized(old), is_finalized(new)) == (False, True)
    assert new["status"] == old["status"]
    assert not strategy.validate_finalize(new, old, write)


def test_a_finalizer_has_a_domain() -> None:
    """Two programs must not mean different things by one name."""
    problem = namespaces().refusal({"spec": {"finalizers": ["foo"]}})

    assert problem == (
        'spec.finalizers: Invalid value: "foo": name is neither a standard finalizer name nor is'
        " it fully qualified"
    )


@pytest.mark.parametrize(
    ("phase", "deleted", "problem"),
    [
        ("Active", False, ""),
        ("Terminating", False, "may only be 'Active' if `deletionTimestamp` is empty"),
        ("Active", True, "may only be 'Terminating' if `deletionTimestamp` is not empty"),
    ],
)
def test_the_phase_says_whether_it_is_being_deleted(
    phase: str, deleted: bool, problem: str
) -> None:
    """Admission goes by the one, people by the other."""
    server = namespaces()
    meta = {"deletionTimestamp": "2026-01-01T00:00:00Z"} if deleted else {}
    obj = {"metadata": meta, "status": {"phase": phase}}

    found = server.strategy.validate_status_update(obj, obj, server.write())

    assert problem in "".join(map(str, found))
    assert bool(problem) == bool(found)

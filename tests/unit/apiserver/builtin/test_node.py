"""RuntimeClasses."""

from kubewright.apiserver.builtin import strategy_for
from tests.unit.apiserver.builtin.workload_samples import Obj, Written, an_object, refusals

GROUP = "node.k8s.io"


def test_a_runtime_class_names_its_handler() -> None:
    """The other fields are checked before the handler."""
    tolerations = [{"key": "a", "operator": "Exists"}] * 2
    content = {"scheduling": {"tolerations": tolerations}}

    assert refusals(GROUP, "runtimeclasses", an_object(content)) == [
        'scheduling.tolerations[1]: Duplicate value: {"key":"a","operator":"Exists"}',
        "handler: Required value",
    ]


def test_a_runtime_class_keeps_its_handler() -> None:
    """Existing pods were scheduled for this handler."""
    old: Obj = {"metadata": {}, "handler": "runc"}
    new: Obj = {"metadata": {}, "handler": "gvisor"}

    errors = strategy_for(GROUP, "runtimeclasses").validate_update(new, old, Written())

    assert [str(error) for error in errors] == ["handler: Invalid value: null: field is immutable"]

"""ReplicationControllers, which behave mostly like ReplicaSets."""

from kubewright.apiserver.builtin.apps.replicasets import ReplicaSetStrategy
from kubewright.apiserver.builtin.apps.workloads import (
    MISMATCH,
    Workload,
    labels_of,
    runs_for_ever,
)
from kubewright.apiserver.builtin.core.pod.defaults import default_template
from kubewright.apiserver.builtin.core.pod.spec import validate_template
from kubewright.apiserver.builtin.fields.checks import not_negative_fields
from kubewright.apiserver.meta import field
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj, Write


class ReplicationControllerStrategy(ReplicaSetStrategy):
    """How ReplicationControllers behave: the selector is a plain map, and optional."""

    def default(self, obj: Obj) -> None:
        """Take selector and labels from the template."""
        Workload.default(self, obj)
        spec = obj.setdefault("spec", {})
        if (template := spec.get("template")) is not None:
            default_template(template)
            if labels := labels_of(template):
                spec["selector"] = spec.get("selector") or dict(labels)
                meta = obj["metadata"]
                meta["labels"] = meta.get("labels") or dict(labels)
        spec.setdefault("replicas", 1)

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Return what is wrong with a new controller."""
        return _controller_spec(obj["spec"])

    def validate_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Return what is wrong with the new object; every field may change."""
        return _controller_spec(new["spec"])


def _controller_spec(spec: Obj) -> Errors:
    selector, template = spec.get("selector") or {}, spec.get("template")
    errors: Errors = [] if selector else [field.required("spec.selector")]
    if template is None:
        errors.append(field.required("spec.template"))
    else:
        labels = labels_of(template)
        if not selector.items() <= labels.items():
            errors.append(field.invalid("spec.template.metadata.labels", labels or None, MISMATCH))
        errors += validate_template(template, "spec.template")
        errors += runs_for_ever(template, "spec.template", kind="ReplicationController")
    # Kubernetes declares these two rules in its types, and so reports them last.
    return errors + not_negative_fields(spec, ("replicas", "minReadySeconds"), "spec")

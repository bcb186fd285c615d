"""StatefulSets: pods with stable names and volumes of their own."""

from typing import ClassVar

from kubewright.apiserver.builtin.apps.workloads import (
    MISMATCH,
    Workload,
    labels_of,
    runs_for_ever,
    validate_required_selector,
)
from kubewright.apiserver.builtin.core.claim_spec import validate_claim_spec
from kubewright.apiserver.builtin.core.pod.defaults import default_template
from kubewright.apiserver.builtin.core.pod.spec import validate_template
from kubewright.apiserver.builtin.core.pod.volume_defaults import default_claim_spec
from kubewright.apiserver.builtin.core.pod.warnings import template_warnings
from kubewright.apiserver.builtin.fields import differences
from kubewright.apiserver.builtin.fields.checks import (
    at_most,
    at_most_all,
    count_or_percent,
    immutable_fields,
    int_or_percent,
    not_decremented,
    not_negative_fields,
    problems,
    unsupported,
)
from kubewright.apiserver.builtin.fields.selectors import matches
from kubewright.apiserver.meta import field, naming
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import NameRule, Obj, Write

_RETENTION = ("Retain", "Delete")


class StatefulSetStrategy(Workload):
    """How StatefulSets behave."""

    name_rule: NameRule = staticmethod(naming.dns_label)
    zero_status: tuple[str, ...] = ("replicas", "availableReplicas")
    _COUNTS: ClassVar = (
        "replicas",
        "readyReplicas",
        "currentReplicas",
        "updatedReplicas",
        "availableReplicas",
        "observedGeneration",
        "collisionCount",
    )

    def default(self, obj: Obj) -> None:
        """Default to starting in order, updating one pod at a time, and retaining the claims."""
        super().default(obj)
        spec = obj.setdefault("spec", {})
        default_template(spec.setdefault("template", {}))
        spec.setdefault("serviceName", "")
        spec.setdefault("replicas", 1)
        spec.setdefault("revisionHistoryLimit", 10)
        if not spec.get("podManagementPolicy"):
            spec["podManagementPolicy"] = "OrderedReady"
        _default_update(spec.setdefault("updateStrategy", {}))
        retention = spec.setdefault("persistentVolumeClaimRetentionPolicy", {})
        for name in ("whenDeleted", "whenScaled"):
            retention[name] = retention.get(name) or "Retain"
        for claim in spec.get("volumeClaimTemplates") or ():
            _default_claim(claim)

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Return what is wrong with a new set."""
        spec = obj["spec"]
        errors = _spec(spec, is_new=True)
        if not errors:
            for warning in template_warnings(spec["template"], "spec.template"):
                write.warn(warning)
        return errors

    def validate_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Return what is wrong with a change; the identity of the pods is immutable."""
        fixed = ("selector", "volumeClaimTemplates", "serviceName", "podManagementPolicy")
        return _spec(new["spec"], is_new=False) + immutable_fields(
            new["spec"], old["spec"], fixed, "spec"
        )

    def validate_status_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Return errors for counts that contradict one another."""
        status = new.get("status") or {}
        counts = ("readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas")
        errors = not_negative_fields(status, self._COUNTS, "status")
        errors += at_most(status, counts, "status", limit="replicas")
        errors += at_most(status, ("availableReplicas",), "status", limit="readyReplicas")
        return errors + not_decremented(status, old.get("status") or {}, "collisionCount", "status")


def _default_update(strategy: Obj) -> None:
    if not strategy.get("type"):
        strategy["type"] = "RollingUpdate"
        strategy.setdefault("rollingUpdate", {})
    rolling = strategy.get("rollingUpdate")
    if strategy["type"] == "RollingUpdate" and rolling is not None:
        rolling.setdefault("partition", 0)
        rolling.setdefault("maxUnavailable", 1)


def _default_claim(claim: Obj) -> None:
    claim["apiVersion"], claim["kind"] = "v1", "PersistentVolumeClaim"
    claim.setdefault("metadata", {})
    default_claim_spec(claim.setdefault("spec", {}))
    status = claim.setdefault("status", {})
    status["phase"] = status.get("phase") or "Pending"


def _spec(spec: Obj, *, is_new: bool) -> Errors:
    errors = _policies(spec)
    if is_new:
        for i, claim in enumerate(spec.get("volumeClaimTemplates") or ()):
            errors += validate_claim_spec(claim["spec"], f"spec.volumeClaimTemplates[{i}].spec")
    errors += not_negative_fields(spec, ("replicas", "minReadySeconds"), "spec")
    start = (spec.get("ordinals") or {}).get("start") or 0
    if start < 0:
        errors += not_negative_fields({"ordinals.start": start}, ("ordinals.start",), "spec")
    if is_new and (service := spec.get("serviceName")):
        errors += problems(naming.dns_label, service, "spec.serviceName")
    selector = spec.get("selector")
    errors += validate_required_selector(selector, "spec.selector", kind="statefulset")
    errors += _template(spec, selector)
    return errors + runs_for_ever(spec["template"], "spec.template", kind="StatefulSet")


def _policies(spec: Obj) -> Errors:
    errors: Errors = []
    if (policy := spec.get("podManagementPolicy")) not in ("OrderedReady", "Parallel"):
        text = "must be 'OrderedReady' or 'Parallel'"
        errors.append(field.invalid("spec.podManagementPolicy", policy, text))
    errors += _update(spec["updateStrategy"], "spec.updateStrategy")
    retention = spec.get("persistentVolumeClaimRetentionPolicy") or {}
    for name in ("whenDeleted", "whenScaled"):
        if (value := retention.get(name)) not in _RETENTION:
            here = f"spec.persistentVolumeClaimRetentionPolicy.{name}"
            errors.append(unsupported(here, value, _RETENTION))
    return errors


def _update(strategy: Obj, path: str) -> Errors:
    kind, rolling = strategy.get("type"), strategy.get("rollingUpdate")
    if kind == "OnDelete":
        text = "only allowed for updateStrategy 'RollingUpdate'"
        if rolling is None:
            return []
        here, inner = f"{path}.rollingUpdate", "RollingUpdateStatefulSetStrategy"
        return [differences.invalid(here, rolling, inner, detail=text)]
    if kind != "RollingUpdate":
        text = "must be 'RollingUpdate' or 'OnDelete'"
        return [differences.invalid(path, strategy, "StatefulSetUpdateStrategy", detail=text)]
    if rolling is None:
        return []
    here = f"{path}.rollingUpdate"
    errors = not_negative_fields(rolling, ("partition",), here)
    if (down := rolling.get("maxUnavailable")) is not None:
        here = f"{here}.maxUnavailable"
        errors += int_or_percent(down, here)
        if not count_or_percent(down):
            errors.append(field.invalid(here, down, "cannot be 0"))
        errors += at_most_all(down, here)
    return errors


def _template(spec: Obj, selector: Obj | None) -> Errors:
    template = spec["template"]
    fits = matches(selector, labels_of(template))
    if fits is None:
        return [field.invalid("spec.selector", selector, "")]
    errors: Errors = []
    if not fits:
        labels = labels_of(template) or None
        errors.append(field.invalid("spec.template.metadata.labels", labels, MISMATCH))
    return errors + validate_template(_mounted(template, spec), "spec.template")


def _mounted(template: Obj, spec: Obj) -> Obj:
    """Return the template with a volume for each claim, as its pods will have them."""
    claims = spec.get("volumeClaimTemplates") or ()
    inner = {k: v for k, v in template["spec"].items() if k not in ("subdomain", "hostname")}
    made = {}
    for claim in claims:
        name = (claim.get("metadata") or {}).get("name") or ""
        made[name] = {"name": name, "persistentVolumeClaim": {"claimName": name}}
    if made:
        others = [one for one in inner.get("volumes") or () if one.get("name") not in made]
        inner["volumes"] = [*made.values(), *others]
    return {**template, "spec": inner}

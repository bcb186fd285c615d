"""The changes that an existing pod allows: images, a deadline, more tolerations, fewer gates."""

from collections.abc import Iterable

from kubewright.apiserver.builtin.core.pod.containers import validate_image_spaces
from kubewright.apiserver.builtin.core.pod.placement import REQUIRED
from kubewright.apiserver.builtin.core.pod.subresource_fields import MIRROR
from kubewright.apiserver.builtin.fields.checks import MAX_INT32, in_range
from kubewright.apiserver.builtin.fields.differences import difference
from kubewright.apiserver.meta import field
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj

_ARMOR = "container.apparmor.security.beta.kubernetes.io/"
_UPDATABLE = (
    "`spec.containers[*].image`,"
    "`spec.initContainers[*].image`,"
    "`spec.activeDeadlineSeconds`,"
    "`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"
)


def validate_pod_update(new: Obj, old: Obj) -> Errors:
    """Return the changes that are not allowed; `validate_pod` checks the new pod itself."""
    spec, before = new["spec"], old["spec"]
    errors = validate_annotation_update(new, old)
    for kind in ("containers", "initContainers"):
        now, then = spec.get(kind) or (), before.get(kind) or ()
        if len(now) != len(then):
            text = "pod updates may not add or remove containers"
            return [*errors, field.forbidden(f"spec.{kind}", text)]
        errors += _images(now, f"spec.{kind}")
    late = _deadline(spec.get("activeDeadlineSeconds"), before.get("activeDeadlineSeconds"))
    if late and spec.get("activeDeadlineSeconds") is not None:
        return errors + late
    errors += late
    errors += _tolerations(spec.get("tolerations") or [], before.get("tolerations") or [])
    errors += _gates(spec.get("schedulingGates") or (), before.get("schedulingGates") or ())
    return errors if spec == before else errors + _rest(spec, before)


def validate_annotation_update(new: Obj, old: Obj) -> Errors:
    """Return errors for annotations that may not change."""
    now = new["metadata"].get("annotations") or {}
    then = old["metadata"].get("annotations") or {}
    errors: Errors = []
    for key in (*then, *(key for key in now if key not in then)):
        if now.get(key) == then.get(key) or not (key == MIRROR or key.startswith(_ARMOR)):
            continue
        verb = "remove or update" if key in then else "add"
        what = "mirror pod annotation" if key == MIRROR else "AppArmor annotations"
        errors.append(field.forbidden(f"metadata.annotations[{key}]", f"may not {verb} {what}"))
    return errors


def _images(containers: Iterable[Obj], path: str) -> Errors:
    errors: Errors = []
    for i, container in enumerate(containers):
        if not container.get("image"):
            errors.append(field.required(f"{path}[{i}].image"))
        errors += validate_image_spaces(container, f"{path}[{i}]")
    return errors


def _deadline(now: int | None, then: int | None) -> Errors:
    here = "spec.activeDeadlineSeconds"
    if now is None:
        text = "must not update from a positive integer to nil value"
        return [] if then is None else [field.invalid(here, None, text)]
    if errors := in_range(now, 0, MAX_INT32, here):
        return errors
    if then is not None and then < now:
        return [field.invalid(here, now, "must be less than or equal to previous value")]
    return []


def _tolerations(now: list[Obj], then: list[Obj]) -> Errors:
    kept = [_without_seconds(one) for one in now]
    if all(_without_seconds(one) in kept for one in then):
        return []
    text = "existing toleration can not be modified except its tolerationSeconds"
    return [field.forbidden("spec.tolerations", text)]


def _without_seconds(toleration: Obj) -> Obj:
    return {key: value for key, value in toleration.items() if key != "tolerationSeconds"}


def _gates(now: Iterable[Obj], then: Iterable[Obj]) -> Errors:
    known = {gate.get("name") for gate in then}
    return [
        field.forbidden(
            f"spec.schedulingGates[{i}].name",
            f"only deletion is allowed, but found new scheduling gate '{gate.get('name')}'",
        )
        for i, gate in enumerate(now)
        if gate.get("name") not in known
    ]


def _rest(spec: Obj, before: Obj) -> Errors:
    """Return an error if the specs differ once the allowed changes are taken out."""
    munged = dict(spec)
    for kind in ("containers", "initContainers"):
        if now := spec.get(kind):
            munged[kind] = [_with_image(*pair) for pair in zip(now, before[kind], strict=True)]
    for name in ("activeDeadlineSeconds", "schedulingGates", "tolerations"):
        munged.pop(name, None)
        if name in before:
            munged[name] = before[name]
    if (before.get("terminationGracePeriodSeconds") or 0) < 0:
        munged["terminationGracePeriodSeconds"] = before["terminationGracePeriodSeconds"]
    errors = _gated(munged, before) if before.get("schedulingGates") else []
    if munged != before:
        text = f"pod updates may not change fields other than {_UPDATABLE}\n"
        errors.append(field.forbidden("spec", text + difference(before, munged, "PodSpec")))
    return errors


def _with_image(container: Obj, before: Obj) -> Obj:
    return {**container, "image": before.get("image")}


def _gated(munged: Obj, before: Obj) -> Errors:
    """Check the fields that may be narrowed while the pod has scheduling gates."""
    errors: Errors = []
    now, then = munged.get("nodeSelector") or {}, before.get("nodeSelector") or {}
    if not then.items() <= now.items():
        text = "only additions to spec.nodeSelector are allowed (no mutations or deletions)"
        errors.append(field.invalid("spec.nodeSelector", now or None, text))
    _restore(munged, before, "nodeSelector")
    new = (munged.get("affinity") or {}).get("nodeAffinity") or {}
    old = (before.get("affinity") or {}).get("nodeAffinity") or {}
    if new != old:
        errors += _narrowed(new, old)
        affinity = dict(munged.get("affinity") or {})
        _restore(affinity, before.get("affinity") or {}, "nodeAffinity")
        munged["affinity"] = affinity
        if not affinity and "affinity" not in before:
            del munged["affinity"]
    return errors


def _restore(munged: Obj, before: Obj, name: str) -> None:
    munged.pop(name, None)
    if name in before:
        munged[name] = before[name]


def _narrowed(new: Obj, old: Obj) -> Errors:
    here = f"spec.affinity.nodeAffinity.{REQUIRED}.nodeSelectorTerms"
    then = (old.get(REQUIRED) or {}).get("nodeSelectorTerms") or []
    now = (new.get(REQUIRED) or {}).get("nodeSelectorTerms") or []
    if then and len(then) != len(now):
        text = "no additions/deletions to non-empty NodeSelectorTerms list are allowed"
        return [field.invalid(here, now or None, text)]
    text = "only additions are allowed (no mutations or deletions)"
    return [
        field.invalid(f"{here}[{i}]", term, text)
        for i, (term, was) in enumerate(zip(now, then, strict=False))
        if not _only_adds(term, was)
    ]


def _only_adds(new: Obj, old: Obj) -> bool:
    kinds = ("matchExpressions", "matchFields")
    if not any(old.get(kind) for kind in kinds):
        return not any(new.get(kind) for kind in kinds)
    return all(
        (new.get(kind) or [])[: len(old.get(kind) or ())] == (old.get(kind) or []) for kind in kinds
    )

"""The spec of a PersistentVolumeClaim inside the templates of pods and StatefulSets."""

from kubewright.apiserver.builtin.core.pod.resources import amount
from kubewright.apiserver.builtin.fields.checks import POSITIVE, problems, unsupported
from kubewright.apiserver.builtin.fields.selectors import validate_selector
from kubewright.apiserver.meta import field, naming
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj

ACCESS_MODES: tuple[str, ...] = (
    "ReadOnlyMany",
    "ReadWriteMany",
    "ReadWriteOnce",
    "ReadWriteOncePod",
)
_VOLUME_MODES = ("Block", "Filesystem")


def validate_claim_spec(spec: Obj, path: str) -> Errors:
    """Return what is wrong with the spec of a new claim."""
    errors = _access_modes(spec.get("accessModes") or (), f"{path}.accessModes")
    size = ((spec.get("resources") or {}).get("requests") or {}).get("storage")
    here = f"{path}.resources[storage]"
    if size is None:
        errors.append(field.required(here))
    elif amount(size) <= 0:
        errors.append(field.invalid(here, size, POSITIVE))
    if name := spec.get("storageClassName"):
        errors += problems(naming.dns_subdomain, name, f"{path}.storageClassName")
    mode = spec.get("volumeMode")
    if mode is not None and mode not in _VOLUME_MODES:
        errors.append(unsupported(f"{path}.volumeMode", mode, _VOLUME_MODES))
    return validate_selector(spec.get("selector"), f"{path}.selector") + errors


def _access_modes(modes: list[str] | tuple[()], path: str) -> Errors:
    if not modes:
        return [field.required(path, "at least 1 access mode is required")]
    errors = [unsupported(path, mode, ACCESS_MODES) for mode in modes if mode not in ACCESS_MODES]
    known = {mode for mode in modes if mode in ACCESS_MODES}
    if "ReadWriteOncePod" in known and len(known) > 1:
        text = "may not use ReadWriteOncePod with other access modes"
        errors.append(field.forbidden(path, text))
    return errors

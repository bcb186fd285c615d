"""VolumeAttachments: which volume is to be attached to which node."""

from kubewright.apiserver.builtin.fields.checks import immutable, needed, problems
from kubewright.apiserver.builtin.storage.csidrivers import driver_name
from kubewright.apiserver.meta import field, naming
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj, Strategy, Write

_METADATA_SIZE, _MESSAGE_SIZE = 256 * 1024, 1024
_ONE_SOURCE = "must specify exactly one of inlineVolumeSpec and persistentVolumeName"


class VolumeAttachmentStrategy(Strategy):
    """VolumeAttachments."""

    has_status = True
    allow_unconditional_update = False

    def default(self, obj: Obj) -> None:
        """Include ``attached`` even if it is false."""
        obj.setdefault("spec", {}).setdefault("source", {})
        obj.setdefault("status", {}).setdefault("attached", False)

    def prepare_create(self, obj: Obj, write: Write) -> None:
        """Start as not attached."""
        obj["status"] = {"attached": False}

    def validate(self, obj: Obj, write: Write) -> Errors:
        """Check driver, volume and node."""
        spec = obj["spec"]
        found = driver_name(spec.get("attacher") or "", "spec.attacher")
        found += _source(spec["source"], "spec.source")
        found += problems(naming.dns_subdomain, spec.get("nodeName") or "", "spec.nodeName")
        return found + self.validate_status_update(obj, obj, write)

    def validate_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Check that the spec did not change."""
        return self.validate(new, write) + immutable(new["spec"], old["spec"], "spec")

    def validate_status_update(self, new: Obj, old: Obj, write: Write) -> Errors:
        """Check the sizes of metadata and messages that drivers report."""
        status = new.get("status") or {}
        found: Errors = []
        metadata = status.get("attachmentMetadata") or {}
        if sum(len(key) + len(value) for key, value in metadata.items()) > _METADATA_SIZE:
            found.append(field.too_long("status.attachmentMetadata", _METADATA_SIZE))
        for name in ("attachError", "detachError"):
            if len((status.get(name) or {}).get("message") or "") > _MESSAGE_SIZE:
                found.append(field.too_long(f"status.{name}.message", _MESSAGE_SIZE))
        return found


def _source(source: Obj, path: str) -> Errors:
    inline, name = source.get("inlineVolumeSpec"), source.get("persistentVolumeName")
    if inline is None and name is None:
        return [field.required(path, _ONE_SOURCE)]
    if inline is not None and name is not None:
        return [field.forbidden(path, _ONE_SOURCE)]
    if name is None:
        return []
    path = f"{path}.persistentVolumeName"
    return needed(name, path, "must specify non empty persistentVolumeName") + problems(
        naming.dns_subdomain, name, path
    )

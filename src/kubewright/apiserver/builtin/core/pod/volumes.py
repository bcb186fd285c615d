"""Validation of pod volumes: each has a name and exactly one source."""

from collections.abc import Callable, Iterable

from kubewright.apiserver.builtin.core.claim_spec import validate_claim_spec
from kubewright.apiserver.builtin.core.pod.projections import (
    validate_downward_files,
    validate_items,
    validate_mode,
    validate_projections,
)
from kubewright.apiserver.builtin.core.pod.resources import amount
from kubewright.apiserver.builtin.fields.checks import MAX_INT32, in_range, problems, unsupported
from kubewright.apiserver.builtin.fields.paths import no_backsteps
from kubewright.apiserver.meta import field, naming
from kubewright.apiserver.meta.field import Errors
from kubewright.apiserver.registry.strategy import Obj

Rule = Callable[[Obj, str], Errors]

_HOST_TYPES = (
    "",
    "BlockDevice",
    "CharDevice",
    "Directory",
    "DirectoryOrCreate",
    "File",
    "FileOrCreate",
    "Socket",
)
_PULL_POLICIES = ("Always", "IfNotPresent", "Never")
_MAX_LUN = 255


def validate_volumes(
    volumes: Iterable[Obj], path: str, *, pod: str = ""
) -> tuple[dict[str, Obj], Errors]:
    """Return the valid volumes by name, and what is wrong with the others.

    Args:
        volumes: The ``volumes`` of a pod's spec.
        path: The path of *volumes*.
        pod: The name of the pod; empty for a template or a pod without a name.
    """
    errors: Errors = []
    valid: dict[str, Obj] = {}
    made = {f"{pod}-{one.get('name')}" for one in volumes if pod and "ephemeral" in one}
    for i, volume in enumerate(volumes):
        here, name = f"{path}[{i}]", volume.get("name") or ""
        found = _source(volume, here, pod)
        if name:
            found += problems(naming.dns_label, name, f"{here}.name")
        else:
            found.append(field.required(f"{here}.name"))
        if name in valid:
            found.append(field.duplicate(f"{here}.name", name))
        if found:
            errors += found
        else:
            valid[name] = volume
        if (claim := (volume.get("persistentVolumeClaim") or {}).get("claimName")) in made:
            text = "must not reference a PVC that gets created for an ephemeral volume"
            errors.append(field.invalid(f"{here}.persistentVolumeClaim.claimName", claim, text))
    return valid, errors


def _source(volume: Obj, path: str, pod: str) -> Errors:
    errors: Errors = []
    names = [name for name in _SOURCES if volume.get(name) is not None]
    for i, name in enumerate(names):
        if i:
            text = "may not specify more than 1 volume type"
            errors.append(field.forbidden(f"{path}.{_SHOWN.get(name, name)}", text))
        else:
            errors += _SOURCES[name](volume[name], f"{path}.{name}")
    if not names:
        errors.append(field.required(path, "must specify a volume type"))
    if pod and names[:1] == ["ephemeral"] and volume.get("name"):
        claim = f"{pod}-{volume['name']}"
        errors += [
            field.invalid(f"{path}.name", volume["name"], f'PVC name "{claim}": {problem}')
            for problem in naming.dns_subdomain(claim)
        ]
    return errors


def _needs(*names: str) -> Rule:
    def rule(source: Obj, path: str) -> Errors:
        return [field.required(f"{path}.{name}") for name in names if not source.get(name)]

    return rule


def _empty_dir(source: Obj, path: str) -> Errors:
    limit = source.get("sizeLimit")
    if limit is not None and amount(limit) < 0:
        text = "SizeLimit field must be a valid resource quantity"
        return [field.forbidden(f"{path}.sizeLimit", text)]
    return []


def _host_path(source: Obj, path: str) -> Errors:
    place = source.get("path")
    if not place:
        return [field.required(f"{path}.path")]
    errors = no_backsteps(place, f"{path}.path")
    if (kind := source.get("type")) is not None and kind not in _HOST_TYPES:
        errors.append(unsupported(f"{path}.type", kind, _HOST_TYPES))
    return errors


def _files(name: str) -> Rule:
    def rule(source: Obj, path: str) -> Errors:
        errors = [] if source.get(name) else [field.required(f"{path}.{name}")]
        errors += validate_mode(source, "defaultMode", path)
        return errors + validate_items(source.get("items") or (), f"{path}.items")

    return rule


def _nfs(source: Obj, path: str) -> Errors:
    errors = _needs("server", "path")(source, path)
    place = source.get("path") or ""
    if not place.startswith("/"):
        errors.append(field.invalid(f"{path}.path", place, "must be an absolute path"))
    return errors


def _iscsi(source: Obj, path: str) -> Errors:
    errors = _needs("targetPortal", "iqn")(source, path)
    return errors + in_range(source.get("lun") or 0, 0, _MAX_LUN, f"{path}.lun")


def _downward(source: Obj, path: str) -> Errors:
    errors = validate_mode(source, "defaultMode", path)
    return errors + validate_downward_files(source.get("items") or (), path)


def _csi(source: Obj, path: str) -> Errors:
    errors = _needs("driver")(source, path)
    secret = source.get("nodePublishSecretRef")
    if secret is None:
        return errors
    if not secret.get("name"):
        return [*errors, field.required(f"{path}.nodePublishSecretRef.name")]
    return errors + problems(naming.dns_subdomain, secret["name"], f"{path}.name")


def _ephemeral(source: Obj, path: str) -> Errors:
    template, here = source.get("volumeClaimTemplate"), f"{path}.volumeClaimTemplate"
    if template is None:
        return [field.required(here)]
    meta = template.get("metadata") or {}
    errors = naming.annotations(meta.get("annotations") or {}, f"{here}.metadata.annotations")
    errors += naming.labels(meta.get("labels") or {}, f"{here}.metadata.labels")
    return errors + validate_claim_spec(template.get("spec") or {}, f"{here}.spec")


def _disk(source: Obj, path: str) -> Errors:
    errors = _needs("pdName")(source, path)
    return errors + in_range(source.get("partition") or 0, 0, MAX_INT32, f"{path}.partition")


def _image(source: Obj, path: str) -> Errors:
    errors = _needs("reference")(source, path)
    if (policy := source.get("pullPolicy")) not in _PULL_POLICIES:
        errors.append(unsupported(f"{path}.pullPolicy", policy, _PULL_POLICIES))
    return errors


# In the order in which Kubernetes checks them.
_SOURCES: dict[str, Rule] = {
    "emptyDir": _empty_dir,
    "hostPath": _host_path,
    "gitRepo": _needs("repository"),
    "gcePersistentDisk": _disk,
    "awsElasticBlockStore": _needs("volumeID"),
    "secret": _files("secretName"),
    "nfs": _nfs,
    "iscsi": _iscsi,
    "glusterfs": _needs("endpoints", "path"),
    "flocker": _needs(),
    "persistentVolumeClaim": _needs("claimName"),
    "rbd": _needs("monitors", "image"),
    "cinder": _needs("volumeID"),
    "cephfs": _needs("monitors"),
    "quobyte": _needs("registry", "volume"),
    "downwardAPI": _downward,
    "fc": _needs(),
    "flexVolume": _needs("driver"),
    "configMap": _files("name"),
    "azureFile": _needs("secretName", "shareName"),
    "vsphereVolume": _needs("volumePath"),
    "photonPersistentDisk": _needs("pdID"),
    "portworxVolume": _needs("volumeID"),
    "azureDisk": _needs("diskName", "diskURI"),
    "storageos": _needs("volumeName"),
    "projected": validate_projections,
    "scaleIO": _needs("gateway", "system", "volumeName"),
    "csi": _csi,
    "ephemeral": _ephemeral,
    "image": _image,
}
_SHOWN = {"cephfs": "cephFS", "downwardAPI": "downwarAPI"}  # as Kubernetes misspells them

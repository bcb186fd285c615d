"""What admission does to every pod: tolerations, priority, runtime class, service account.

These are the plugins that a real server runs by default. The one for service accounts refuses pods
in namespaces without any, so it is a switch: a server alone has no controller that makes them.
"""

import random
from typing import Any

from kubewright.apiserver.admission.plugins.runtimeclass import admit_runtime_class
from kubewright.apiserver.builtin.core.pod.subresource_fields import MIRROR
from kubewright.apiserver.builtin.scheduling import CLASSES, default_class
from kubewright.apiserver.meta import status
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.registry.strategy import Obj, Write

PODS: GroupResource = GroupResource("", "pods")
SERVICE_ACCOUNTS: GroupResource = GroupResource("", "serviceaccounts")
TOKEN_VOLUME: str = "kube-api-access"  # noqa: S105  # the name of a volume
TOKEN_PATH: str = "/var/run/secrets/kubernetes.io/serviceaccount"  # noqa: S105  # a path
TOKEN_SECONDS: int = 3607
TOLERATED_SECONDS: int = 300
_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"  # what generateName uses: no vowels, no words
_TAINTS = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")


def admit_pod(obj: Obj, write: Write, *, service_accounts: bool = False) -> None:
    """Change a new pod as the default admission plugins do.

    Args:
        obj: The pod, with its defaults; changed in place.
        write: Who writes it, and what else is stored.
        service_accounts: Whether pods run as a service account, and get a token for it.

    Raises:
        StatusError: Its priority class, runtime class or service account is not there, or it
            chose its own priority (403).
    """
    if service_accounts:
        _set_account(obj, write)
    _set_priority(obj, write)
    add_tolerations(obj["spec"])
    if "runtimeClassName" in obj["spec"] or "overhead" in obj["spec"]:
        admit_runtime_class(obj, write)


def admit_pod_update(new: Obj, old: Obj) -> None:
    """Change an updated pod as the default admission plugins do."""
    for name in ("priority", "preemptionPolicy"):
        if new["spec"].get(name) is None and old["spec"].get(name) is not None:
            new["spec"][name] = old["spec"][name]
    add_tolerations(new["spec"])


def add_tolerations(spec: Obj) -> None:
    """Let the pod stay for five minutes on a node that does not answer."""
    tolerations: list[Obj] = spec.get("tolerations") or []
    missing = [taint for taint in _TAINTS if not any(_tolerates(t, taint) for t in tolerations)]
    if missing:
        spec["tolerations"] = tolerations + [_toleration(taint) for taint in missing]


def _tolerates(toleration: Obj, taint: str) -> bool:
    of_key = (toleration.get("key") or taint) == taint
    return of_key and (toleration.get("effect") or "NoExecute") == "NoExecute"


def _toleration(taint: str) -> Obj:
    return {
        "key": taint,
        "operator": "Exists",
        "effect": "NoExecute",
        "tolerationSeconds": TOLERATED_SECONDS,
    }


def _refused(obj: Obj, why: str) -> status.StatusError:
    return status.forbidden(PODS, obj["metadata"].get("name") or "", why)


def _set_priority(obj: Obj, write: Write) -> None:
    spec = obj["spec"]
    name = spec.get("priorityClassName")
    found = write.reader.get(CLASSES, "", name) if name else default_class(write.reader)
    if name and found is None:
        raise _refused(obj, f"no PriorityClass with name {name} was found")
    value, policy = 0, "PreemptLowerPriority"
    if found is not None:
        spec["priorityClassName"] = found["metadata"]["name"]
        value, policy = found.get("value") or 0, found.get("preemptionPolicy") or policy
    _agree(obj, "priority", value, "integer value of priority")
    _agree(obj, "preemptionPolicy", policy, "string value of PreemptionPolicy")


def _agree(obj: Obj, name: str, computed: Any, what: str) -> None:
    given = obj["spec"].get(name)
    if given is not None and given != computed:
        why = (
            f"the {what} ({given}) must not be provided in pod spec; priority admission controller"
            f" computed {computed} from the given PriorityClass name"
        )
        raise _refused(obj, why)
    obj["spec"][name] = computed


def _set_account(obj: Obj, write: Write) -> None:
    spec, namespace = obj["spec"], obj["metadata"].get("namespace") or ""
    if MIRROR in (obj["metadata"].get("annotations") or {}):
        _check_mirror(obj)
        return
    name = spec.get("serviceAccountName") or "default"
    spec["serviceAccountName"] = spec["serviceAccount"] = name
    account = write.reader.get(SERVICE_ACCOUNTS, namespace, name)
    if account is None:
        why = f'serviceaccount "{name}" not found'
        raise _refused(obj, f"error looking up service account {namespace}/{name}: {why}")
    mounts = spec.get("automountServiceAccountToken", account.get("automountServiceAccountToken"))
    if mounts is not False:
        _mount_token(spec)
    if not spec.get("imagePullSecrets") and (secrets := account.get("imagePullSecrets")):
        spec["imagePullSecrets"] = [dict(secret) for secret in secrets]


def _check_mirror(obj: Obj) -> None:
    if obj["spec"].get("serviceAccountName"):
        raise _refused(obj, "a mirror pod may not reference service accounts")
    for volume in obj["spec"].get("volumes") or ():
        if "secret" in volume:
            raise _refused(obj, "a mirror pod may not reference secrets")
        for source in (volume.get("projected") or {}).get("sources") or ():
            if "serviceAccountToken" in source:
                why = "a mirror pod may not use ServiceAccountToken volume projections"
                raise _refused(obj, why)


def _mount_token(spec: Obj) -> None:
    volumes: list[Obj] = spec.get("volumes") or []
    prefix = f"{TOKEN_VOLUME}-"
    given = next((v["name"] for v in volumes if (v.get("name") or "").startswith(prefix)), None)
    name = given or prefix + "".join(random.choices(_ALPHABET, k=5))  # noqa: S311  # a name, no secret
    mount = {"name": name, "readOnly": True, "mountPath": TOKEN_PATH}
    needed = False
    for kind in ("initContainers", "containers"):
        for container in spec.get(kind) or ():
            mounts: list[Obj] = container.get("volumeMounts") or []
            if not any(one.get("mountPath") == TOKEN_PATH for one in mounts):
                container["volumeMounts"] = [*mounts, dict(mount)]
                needed = True
    if needed and given is None:
        spec["volumes"] = [*volumes, _token_volume(name)]


def _token_volume(name: str) -> Obj:
    token = {"expirationSeconds": TOKEN_SECONDS, "path": "token"}
    authority = {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}
    namespace = {
        "path": "namespace",
        "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"},
    }
    sources = [
        {"serviceAccountToken": token},
        {"configMap": authority},
        {"downwardAPI": {"items": [namespace]}},
    ]
    return {"name": name, "projected": {"defaultMode": 0o644, "sources": sources}}

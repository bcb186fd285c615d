"""A pod runs as a service account, which must exist, and gets a volume with its token.

A server of its own leaves this plugin out: it has no nodes on which anybody would use the token.
"""

import random

from kubewright.apiserver.admission.attributes import Attributes
from kubewright.apiserver.admission.plugin import AdmissionPlugin
from kubewright.apiserver.builtin.core.pod.subresource_fields import MIRROR
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.registry.strategy import Obj

SERVICE_ACCOUNTS: GroupResource = GroupResource("", "serviceaccounts")
TOKEN_VOLUME: str = "kube-api-access"  # noqa: S105  # the name of a volume
TOKEN_PATH: str = "/var/run/secrets/kubernetes.io/serviceaccount"  # noqa: S105  # a path
TOKEN_SECONDS: int = 3607
_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"  # what generateName uses: without vowels, without words


class ServiceAccount(AdmissionPlugin):
    """Gives new pods their account, its token and its pull secrets."""

    def admit(self, attributes: Attributes) -> None:
        """Complete a new pod.

        Raises:
            StatusError: The account does not exist, or a mirror pod uses one (403).
        """
        obj = attributes.object
        assert obj is not None
        spec, namespace = obj["spec"], obj["metadata"].get("namespace") or ""
        if MIRROR in (obj["metadata"].get("annotations") or {}):
            _check_mirror(attributes, spec)
            return
        name = spec.get("serviceAccountName") or "default"
        spec["serviceAccountName"] = spec["serviceAccount"] = name
        account = self._reader.find_object(SERVICE_ACCOUNTS, namespace, name)
        if account is None:
            why = f'serviceaccount "{name}" not found'
            raise attributes.forbidden(
                f"error looking up service account {namespace}/{name}: {why}"
            )
        default = account.get("automountServiceAccountToken")
        if spec.get("automountServiceAccountToken", default) is not False:
            _mount_token(spec)
        if not spec.get("imagePullSecrets") and (secrets := account.get("imagePullSecrets")):
            spec["imagePullSecrets"] = [dict(secret) for secret in secrets]


def _check_mirror(attributes: Attributes, spec: Obj) -> None:
    if spec.get("serviceAccountName"):
        raise attributes.forbidden("a mirror pod may not reference service accounts")
    for volume in spec.get("volumes") or ():
        if "secret" in volume:
            raise attributes.forbidden("a mirror pod may not reference secrets")
        for source in (volume.get("projected") or {}).get("sources") or ():
            if "serviceAccountToken" in source:
                why = "a mirror pod may not use ServiceAccountToken volume projections"
                raise attributes.forbidden(why)


def _mount_token(spec: Obj) -> None:
    volumes: list[Obj] = spec.get("volumes") or []
    prefix = f"{TOKEN_VOLUME}-"
    given = next((v["name"] for v in volumes if (v.get("name") or "").startswith(prefix)), None)
    name = given or prefix + "".join(random.choices(_ALPHABET, k=5))  # noqa: S311  # not a secret
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

"""The fields that kustomize changes unless it is told more: names, namespaces, labels, images.

The tables say what its documentation says, field by field. Where kinds are missing, such as
ReplicaSets that name a ServiceAccount, they are missing there, too.
"""

from collections.abc import Iterable, Iterator

from kubewright.scaffold.kustomize.fieldspec import FieldSpec
from kubewright.scaffold.kustomize.identity import GroupVersionKind as Kind

__all__ = [
    "COMMON_ANNOTATIONS",
    "COMMON_LABELS",
    "IMAGES",
    "METADATA_LABELS",
    "NAMES",
    "NAMESPACES",
    "REFERENCES",
    "REPLICAS",
    "TEMPLATE_LABELS",
    "VARIABLES",
]

_RBAC = "rbac.authorization.k8s.io"
_NETWORKING = "networking.k8s.io"
_TEMPLATE = "spec/template/"
_JOB_TEMPLATE = "spec/jobTemplate/spec/template/"
_POD = {
    "Pod": "",
    "Deployment": _TEMPLATE,
    "ReplicaSet": _TEMPLATE,
    "DaemonSet": _TEMPLATE,
    "StatefulSet": _TEMPLATE,
    "Job": _TEMPLATE,
    "CronJob": _JOB_TEMPLATE,
}
"""Where the pod is in each kind."""


def _spec(path: str, kind: str = "", group: str = "", version: str = "") -> FieldSpec:
    return FieldSpec(path, Kind(group, version, kind))


def _made(path: str, kind: str = "", group: str = "", version: str = "") -> FieldSpec:
    return FieldSpec(path, Kind(group, version, kind), create=True)


NAMES = (_spec("metadata/name"),)
NAMESPACES = (
    _made("metadata/name", "Namespace"),
    _made("spec/service/namespace", "APIService", "apiregistration.k8s.io"),
    _spec(
        "spec/conversion/webhook/clientConfig/service/namespace",
        "CustomResourceDefinition",
        "apiextensions.k8s.io",
    ),
)
METADATA_LABELS = _made("metadata/labels")
TEMPLATE_LABELS = (
    METADATA_LABELS,
    _made("spec/template/metadata/labels", "ReplicationController", version="v1"),
    _made("spec/template/metadata/labels", "Deployment"),
    _made("spec/template/metadata/labels", "ReplicaSet"),
    _made("spec/template/metadata/labels", "DaemonSet"),
    _made("spec/template/metadata/labels", "StatefulSet", "apps"),
    _made("spec/volumeClaimTemplates[]/metadata/labels", "StatefulSet", "apps"),
    _made("spec/template/metadata/labels", "Job", "batch"),
    _made("spec/jobTemplate/metadata/labels", "CronJob", "batch"),
    _made("spec/jobTemplate/spec/template/metadata/labels", "CronJob", "batch"),
)
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution/podAffinityTerm"
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_LABELS_OF_OTHERS = (
    *(
        f"affinity/{affinity}/{when}"
        for affinity in ("podAffinity", "podAntiAffinity")
        for when in (_PREFERRED, _REQUIRED)
    ),
    "topologySpreadConstraints",
)
COMMON_LABELS = (
    _made("spec/selector", "Service", version="v1"),
    _made("spec/selector", "ReplicationController", version="v1"),
    _made("spec/selector/matchLabels", "Deployment"),
    _made("spec/selector/matchLabels", "ReplicaSet"),
    _made("spec/selector/matchLabels", "DaemonSet"),
    _made("spec/selector/matchLabels", "StatefulSet", "apps"),
    *(
        _spec(f"spec/template/spec/{others}/labelSelector/matchLabels", kind, "apps")
        for kind in ("Deployment", "StatefulSet")
        for others in _LABELS_OF_OTHERS
    ),
    _spec("spec/selector/matchLabels", "Job", "batch"),
    _spec("spec/jobTemplate/spec/selector/matchLabels", "CronJob", "batch"),
    _spec("spec/selector/matchLabels", "PodDisruptionBudget", "policy"),
    _spec("spec/podSelector/matchLabels", "NetworkPolicy", _NETWORKING),
    _spec("spec/ingress/from/podSelector/matchLabels", "NetworkPolicy", _NETWORKING),
    _spec("spec/egress/to/podSelector/matchLabels", "NetworkPolicy", _NETWORKING),
    *TEMPLATE_LABELS,
)
COMMON_ANNOTATIONS = (
    _made("metadata/annotations"),
    _made("spec/template/metadata/annotations", "ReplicationController", version="v1"),
    *(
        _made("spec/template/metadata/annotations", kind)
        for kind in ("Deployment", "ReplicaSet", "DaemonSet", "StatefulSet")
    ),
    _made("spec/template/metadata/annotations", "Job", "batch"),
    _made("spec/jobTemplate/metadata/annotations", "CronJob", "batch"),
    _made("spec/jobTemplate/spec/template/metadata/annotations", "CronJob", "batch"),
)
IMAGES = tuple(
    _made(f"{pod}{containers}[]/image")
    for pod in ("spec/", "spec/template/spec/")
    for containers in ("containers", "initContainers")
)
REPLICAS = tuple(
    _made("spec/replicas", kind)
    for kind in ("Deployment", "ReplicationController", "ReplicaSet", "StatefulSet")
)


def _in_pods(*fields: str) -> Iterator[FieldSpec]:
    """Yield the fields of the pods of all kinds."""
    for kind, pod in {**_POD, "PodTemplate": "template/"}.items():
        for field in fields:
            yield _spec(f"{pod}spec/{field}", kind, version="v1" if kind == "Pod" else "")


def _in_workloads(field: str) -> Iterator[FieldSpec]:
    """Yield a field of the pods of those kinds that people make."""
    places = {**_POD, "ReplicationController": _TEMPLATE}
    del places["ReplicaSet"]
    yield from (_spec(f"{pod}spec/{field}", kind) for kind, pod in places.items())


def _keys_of(what: str) -> tuple[str, ...]:
    """Return where environments are filled from a ConfigMap or a Secret."""
    return tuple(
        f"{containers}/{field}"
        for containers in ("containers", "initContainers")
        for field in (f"env/valueFrom/{what}KeyRef/name", f"envFrom/{what}Ref/name")
    )


def _in_roles(*kinds: str) -> tuple[FieldSpec, ...]:
    return tuple(_spec("rules/resourceNames", kind) for kind in kinds)


def _in_annotations(*names: str) -> tuple[FieldSpec, ...]:
    return tuple(
        _spec("metadata/annotations/" + name.replace("/", r"\/"), "Ingress") for name in names
    )


def _scaled(kind: str) -> tuple[Kind, Iterable[FieldSpec]]:
    return Kind(kind=kind), (_spec("spec/scaleTargetRef/name", "HorizontalPodAutoscaler"),)


REFERENCES: tuple[tuple[Kind, tuple[FieldSpec, ...]], ...] = tuple(
    (kind, tuple(fields))
    for kind, fields in (
        *map(_scaled, ("Deployment", "ReplicationController", "ReplicaSet", "StatefulSet")),
        (
            Kind("", "v1", "ConfigMap"),
            (
                *_in_pods(
                    "volumes/configMap/name",
                    "volumes/projected/sources/configMap/name",
                    *_keys_of("configMap"),
                ),
                _spec("spec/configSource/configMap", "Node"),
                *_in_roles("Role", "ClusterRole"),
                *_in_annotations("nginx.ingress.kubernetes.io/fastcgi-params-configmap"),
            ),
        ),
        (
            Kind("", "v1", "Secret"),
            (
                *_in_pods(
                    "volumes/secret/secretName",
                    "volumes/projected/sources/secret/name",
                    "imagePullSecrets/name",
                    *_keys_of("secret"),
                ),
                _spec("spec/tls/secretName", "Ingress"),
                *_in_annotations(
                    "ingress.kubernetes.io/auth-secret",
                    "nginx.ingress.kubernetes.io/auth-secret",
                    "nginx.ingress.kubernetes.io/auth-tls-secret",
                ),
                _spec("imagePullSecrets/name", "ServiceAccount"),
                *(
                    _spec(f"parameters/{name}", "StorageClass")
                    for name in ("secretName", "adminSecretName", "userSecretName", "secretRef")
                ),
                *_in_roles("Role", "ClusterRole"),
                _spec(
                    "spec/template/spec/containers/env/valueFrom/secretKeyRef/name",
                    "Service",
                    "serving.knative.dev",
                    "v1",
                ),
                _spec("spec/azureFile/secretName", "PersistentVolume"),
            ),
        ),
        (
            Kind("", "v1", "Service"),
            (
                _spec("spec/serviceName", "StatefulSet", "apps"),
                _spec("spec/rules/http/paths/backend/serviceName", "Ingress"),
                _spec("spec/backend/serviceName", "Ingress"),
                _spec("spec/rules/http/paths/backend/service/name", "Ingress"),
                _spec("spec/defaultBackend/service/name", "Ingress"),
                _spec("spec/service/name", "APIService", "apiregistration.k8s.io"),
                *(
                    _spec("webhooks/clientConfig/service", kind, "admissionregistration.k8s.io")
                    for kind in ("ValidatingWebhookConfiguration", "MutatingWebhookConfiguration")
                ),
            ),
        ),
        (Kind(_RBAC, "", "Role"), (_spec("roleRef/name", "RoleBinding", _RBAC),)),
        (
            Kind(_RBAC, "", "ClusterRole"),
            (
                _spec("roleRef/name", "RoleBinding", _RBAC),
                _spec("roleRef/name", "ClusterRoleBinding", _RBAC),
            ),
        ),
        (
            Kind("", "v1", "ServiceAccount"),
            (
                _spec("subjects", "RoleBinding", _RBAC),
                _spec("subjects", "ClusterRoleBinding", _RBAC),
                *_in_workloads("serviceAccountName"),
            ),
        ),
        (
            Kind("", "v1", "PersistentVolumeClaim"),
            _in_workloads("volumes/persistentVolumeClaim/claimName"),
        ),
        (
            Kind("", "v1", "PersistentVolume"),
            (_spec("spec/volumeName", "PersistentVolumeClaim"), *_in_roles("ClusterRole")),
        ),
        (
            Kind("storage.k8s.io", "v1", "StorageClass"),
            (
                _spec("spec/storageClassName", "PersistentVolume"),
                _spec("spec/storageClassName", "PersistentVolumeClaim"),
                _spec("spec/volumeClaimTemplates/spec/storageClassName", "StatefulSet"),
            ),
        ),
        (Kind("scheduling.k8s.io", "v1", "PriorityClass"), _in_workloads("priorityClassName")),
        (
            Kind("admissionregistration.k8s.io", "", "ValidatingAdmissionPolicy"),
            (
                _spec(
                    "spec/policyName",
                    "ValidatingAdmissionPolicyBinding",
                    "admissionregistration.k8s.io",
                ),
            ),
        ),
    )
)
"""Kinds, and the fields of others that name an object of that kind."""

_TEXTS_OF_CONTAINERS = tuple(
    f"{containers}/{field}"
    for containers in ("containers", "initContainers")
    for field in ("args", "command", "env/value", "volumeMounts/mountPath")
)
VARIABLES = (
    *(
        _spec(f"{pod}spec/{field}", kind)
        for kind, pod in _POD.items()
        for field in _TEXTS_OF_CONTAINERS
    ),
    *(
        _spec(f"{_POD[kind]}spec/volumes/nfs/server", kind)
        for kind in ("Pod", "Deployment", "ReplicaSet", "DaemonSet", "Job")
    ),
    _spec("spec/jobTemplate/spec/template/volumes/nfs/server", "CronJob"),
    _spec("spec/volumeClaimTemplates/spec/nfs/server", "StatefulSet"),
    _spec("spec/template/metadata/annotations", "Deployment"),
    _spec("spec/rules/host", "Ingress"),
    _spec("spec/tls/hosts", "Ingress"),
    _spec("spec/tls/secretName", "Ingress"),
    _spec("spec/ports/port", "Service"),
    _spec("spec/ports/targetPort", "Service"),
    _spec("spec/nfs/server", "PersistentVolume"),
    _spec("metadata/labels"),
    _spec("metadata/annotations"),
)

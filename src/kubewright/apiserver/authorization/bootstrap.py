"""The roles and bindings that every cluster has from the start, as data.

They are those of Kubernetes 1.37 except for the roles of its controllers, which this server does
not run. The roles ``view``, ``edit`` and ``admin`` gather their rules from others by label, so
that CRDs can extend them.
"""

from kubewright.apiserver.authorization.attributes import Rule
from kubewright.apiserver.authorization.role_aggregation import stale_roles
from kubewright.apiserver.registry.strategy import Obj

_VERSION = "rbac.authorization.k8s.io/v1"
_GROUP = "rbac.authorization.k8s.io"
_READ = "get list watch"
_WRITE = "create update patch delete deletecollection"
_ALL = f"{_READ} {_WRITE}"
_CHANGE = f"{_READ} update patch"

_APPS_READ = (
    "controllerrevisions daemonsets daemonsets/status deployments deployments/scale"
    " deployments/status replicasets replicasets/scale replicasets/status statefulsets"
    " statefulsets/scale statefulsets/status"
)
_APPS_WRITE = (
    "daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale"
    " statefulsets statefulsets/scale"
)
_EXTENSIONS_READ = (
    "daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses"
    " ingresses/status networkpolicies replicasets replicasets/scale replicasets/status"
    " replicationcontrollers/scale"
)
_EXTENSIONS_WRITE = (
    "daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies"
    " replicasets replicasets/scale replicationcontrollers/scale"
)
_REVIEW_TOKENS = ("create", "authentication.k8s.io", "tokenreviews")
_REVIEW_ACCESS = ("create", "authorization.k8s.io", "subjectaccessreviews")
_EVENTS = ("create patch update", "core events.k8s.io", "events")
_HEALTH = "/healthz /livez /readyz /version /version/"

# Verbs, groups ("core" stands for the one without a name), resources, and the names of objects.
_Line = tuple[str, ...]

_VIEW: tuple[_Line, ...] = (
    (
        _READ,
        "core",
        (
            "configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods"
            " replicationcontrollers replicationcontrollers/scale serviceaccounts services"
            " services/status"
        ),
    ),
    (
        _READ,
        "core",
        (
            "bindings limitranges namespaces/status pods/log pods/status"
            " replicationcontrollers/status resourcequotas resourcequotas/status"
        ),
    ),
    (_READ, "core", "namespaces"),
    (_READ, "core events.k8s.io", "events"),
    (_READ, "discovery.k8s.io", "endpointslices"),
    (_READ, "apps", _APPS_READ),
    (_READ, "autoscaling", "horizontalpodautoscalers horizontalpodautoscalers/status"),
    (_READ, "batch", "cronjobs cronjobs/status jobs jobs/status"),
    (_READ, "extensions", _EXTENSIONS_READ),
    (_READ, "policy", "poddisruptionbudgets poddisruptionbudgets/status"),
    (_READ, "networking.k8s.io", "ingresses ingresses/status networkpolicies"),
    (_READ, "resource.k8s.io", "resourceclaims resourceclaims/status resourceclaimtemplates"),
)

_EDIT: tuple[_Line, ...] = (
    (
        _READ,
        "core",
        "pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy",
    ),
    ("impersonate", "core", "serviceaccounts"),
    (_WRITE, "core", "pods pods/attach pods/exec pods/portforward pods/proxy"),
    ("create", "core", "pods/eviction"),
    (
        _WRITE,
        "core",
        (
            "configmaps persistentvolumeclaims replicationcontrollers replicationcontrollers/scale"
            " secrets serviceaccounts services services/proxy"
        ),
    ),
    ("create", "core", "serviceaccounts/token"),
    (_WRITE, "core events.k8s.io", "events"),
    (_WRITE, "apps", _APPS_WRITE),
    (_WRITE, "autoscaling", "horizontalpodautoscalers"),
    (_WRITE, "batch", "cronjobs jobs"),
    (_WRITE, "extensions", _EXTENSIONS_WRITE),
    (_WRITE, "policy", "poddisruptionbudgets"),
    (_WRITE, "networking.k8s.io", "ingresses networkpolicies"),
    (_ALL, "coordination.k8s.io", "leases"),
    (_WRITE, "resource.k8s.io", "resourceclaims resourceclaimtemplates"),
)

_NODE: tuple[_Line, ...] = (
    _REVIEW_TOKENS,
    ("create", "authorization.k8s.io", "localsubjectaccessreviews subjectaccessreviews"),
    (_READ, "core", "services"),
    ("create get list watch", "core", "nodes"),
    ("update patch", "core", "nodes/status"),
    ("update patch", "core", "nodes"),
    ("create update patch", "core events.k8s.io", "events"),
    (_READ, "core", "pods"),
    ("create delete", "core", "pods"),
    ("update patch", "core", "pods/status"),
    ("create", "core", "pods/eviction"),
    (_READ, "core", "configmaps secrets"),
    ("get", "core", "persistentvolumeclaims persistentvolumes"),
    ("get", "core", "endpoints"),
    ("create get list watch", "certificates.k8s.io", "certificatesigningrequests"),
    ("get create update patch delete", "coordination.k8s.io", "leases"),
    ("get", "storage.k8s.io", "volumeattachments"),
    ("create", "core", "serviceaccounts/token"),
    ("get update patch", "core", "persistentvolumeclaims/status"),
    (_READ, "storage.k8s.io", "csidrivers"),
    ("get create update patch delete", "storage.k8s.io", "csinodes"),
    (_READ, "node.k8s.io", "runtimeclasses"),
    ("get", "resource.k8s.io", "resourceclaims"),
    ("deletecollection", "resource.k8s.io", "resourceslices"),
    (_READ, "certificates.k8s.io", "clustertrustbundles"),
    ("get", "core", "serviceaccounts"),
    ("get list watch create", "certificates.k8s.io", "podcertificaterequests"),
)

_CONTROLLER_MANAGER: tuple[_Line, ...] = (
    _EVENTS,
    ("create", "coordination.k8s.io", "leases"),
    ("get update", "coordination.k8s.io", "leases", "kube-controller-manager"),
    ("create", "core", "secrets serviceaccounts"),
    ("delete", "core", "secrets"),
    ("get", "core", "configmaps namespaces secrets serviceaccounts"),
    ("update", "core", "secrets serviceaccounts"),
    _REVIEW_TOKENS,
    _REVIEW_ACCESS,
    ("list watch", "*", "*"),
    ("create", "core", "serviceaccounts/token"),
)

_SCHEDULER: tuple[_Line, ...] = (
    _EVENTS,
    ("create", "coordination.k8s.io", "leases"),
    ("get update list watch", "coordination.k8s.io", "leases", "kube-scheduler"),
    (_ALL, "coordination.k8s.io", "leasecandidates"),
    (_READ, "core", "nodes"),
    ("get list watch delete", "core", "pods"),
    ("create", "core", "bindings pods/binding"),
    ("patch update", "core", "pods/status"),
    (_READ, "core", "replicationcontrollers services"),
    (_READ, "apps extensions", "replicasets"),
    (_READ, "apps", "statefulsets"),
    (_READ, "policy", "poddisruptionbudgets"),
    (_READ, "core", "persistentvolumeclaims persistentvolumes"),
    _REVIEW_TOKENS,
    _REVIEW_ACCESS,
    (_READ, "storage.k8s.io", "csinodes"),
    (_READ, "storage.k8s.io", "volumeattachments"),
    (_READ, "core", "namespaces"),
    (_READ, "storage.k8s.io", "csidrivers"),
    (_READ, "storage.k8s.io", "csistoragecapacities"),
    (_READ, "resource.k8s.io", "deviceclasses"),
    (_CHANGE, "resource.k8s.io", "resourceclaims"),
    (_CHANGE, "resource.k8s.io", "resourceclaims/status"),
    ("update", "core", "pods/finalizers"),
    (_READ, "resource.k8s.io", "resourceslices"),
    ("create delete", "resource.k8s.io", "resourceclaims"),
    (_READ, "resource.k8s.io", "devicetaintrules"),
    ("update patch", "resource.k8s.io", "resourceclaims/binding"),
)

_CERTIFICATES = "system:certificates.k8s.io:"

# A line of one verb and one string of paths is about paths, not about resources.
_CLUSTER_ROLES: dict[str, tuple[_Line, ...]] = {
    "cluster-admin": (("*", "*", "*"), ("*", "*")),
    "system:discovery": (("get", f"/api /api/* /apis /apis/* /openapi /openapi/* {_HEALTH}"),),
    "system:monitoring": (
        (
            "get",
            (
                "/flagz /healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz"
                " /readyz/* /statusz"
            ),
        ),
        ("get", "core", "nodes/metrics"),
    ),
    "system:basic-user": (
        ("create", "authorization.k8s.io", "selfsubjectaccessreviews selfsubjectrulesreviews"),
        ("create", "authentication.k8s.io", "selfsubjectreviews"),
    ),
    "system:public-info-viewer": (("get", _HEALTH),),
    "system:aggregate-to-admin": (
        ("create", "authorization.k8s.io", "localsubjectaccessreviews"),
        (_ALL, _GROUP, "rolebindings roles"),
    ),
    "system:aggregate-to-edit": _EDIT,
    "system:aggregate-to-view": _VIEW,
    "system:heapster": (
        (_READ, "core", "events namespaces nodes pods"),
        (_READ, "extensions", "deployments"),
    ),
    "system:node": _NODE,
    "system:node-problem-detector": (
        ("get", "core", "nodes"),
        ("patch", "core", "nodes/status"),
        _EVENTS,
    ),
    "system:node-bootstrapper": (
        ("create get list watch", "certificates.k8s.io", "certificatesigningrequests"),
    ),
    "system:auth-delegator": (_REVIEW_TOKENS, _REVIEW_ACCESS),
    "system:kube-aggregator": ((_READ, "core", "endpoints services"),),
    "system:kube-controller-manager": _CONTROLLER_MANAGER,
    "system:kube-scheduler": _SCHEDULER,
    "system:kube-dns": (("list watch", "core", "endpoints services"),),
    "system:persistent-volume-provisioner": (
        ("get list watch create delete", "core", "persistentvolumes"),
        ("get list watch update", "core", "persistentvolumeclaims"),
        (_READ, "storage.k8s.io", "storageclasses"),
        ("watch", "core", "events"),
        _EVENTS,
    ),
    f"{_CERTIFICATES}certificatesigningrequests:nodeclient": (
        ("create", "certificates.k8s.io", "certificatesigningrequests/nodeclient"),
    ),
    f"{_CERTIFICATES}certificatesigningrequests:selfnodeclient": (
        ("create", "certificates.k8s.io", "certificatesigningrequests/selfnodeclient"),
    ),
    "system:volume-scheduler": (
        (_CHANGE, "core", "persistentvolumes"),
        (_READ, "storage.k8s.io", "storageclasses"),
        (_CHANGE, "core", "persistentvolumeclaims"),
    ),
    f"{_CERTIFICATES}legacy-unknown-approver": (
        ("approve", "certificates.k8s.io", "signers", "kubernetes.io/legacy-unknown"),
    ),
    f"{_CERTIFICATES}kubelet-serving-approver": (
        ("approve", "certificates.k8s.io", "signers", "kubernetes.io/kubelet-serving"),
    ),
    f"{_CERTIFICATES}kube-apiserver-client-approver": (
        ("approve", "certificates.k8s.io", "signers", "kubernetes.io/kube-apiserver-client"),
    ),
    f"{_CERTIFICATES}kube-apiserver-client-kubelet-approver": (
        (
            "approve",
            "certificates.k8s.io",
            "signers",
            "kubernetes.io/kube-apiserver-client-kubelet",
        ),
    ),
    "system:service-account-issuer-discovery": (
        (
            "get",
            (
                "/.well-known/openid-configuration /.well-known/openid-configuration/"
                " /openid/v1/jwks /openid/v1/jwks/"
            ),
        ),
    ),
    "system:kubelet-api-admin": (
        (_READ, "core", "nodes"),
        ("proxy", "core", "nodes"),
        ("*", "core", "nodes/log nodes/metrics nodes/proxy nodes/stats"),
        ("*", "core", "nodes/configz nodes/healthz nodes/pods"),
    ),
    "system:node-proxier": (
        ("list watch", "core", "endpoints services"),
        (_READ, "core", "nodes"),
        _EVENTS,
        ("list watch", "networking.k8s.io", "servicecidrs"),
        ("list watch", "discovery.k8s.io", "endpointslices"),
    ),
    "system:cluster-trust-bundle-discovery": (
        (_READ, "certificates.k8s.io", "clustertrustbundles"),
    ),
}

# What a role gathers, and which role it is gathered by itself.
_GATHERING = {"admin": "", "edit": "admin", "view": "edit"}

_CLUSTER_ROLE_BINDINGS: dict[str, tuple[str, ...]] = {
    "cluster-admin": ("Group system:masters",),
    "system:monitoring": ("Group system:monitoring",),
    "system:discovery": ("Group system:authenticated",),
    "system:basic-user": ("Group system:authenticated",),
    "system:public-info-viewer": (
        "Group system:authenticated",
        "Group system:unauthenticated",
    ),
    "system:node-proxier": ("User system:kube-proxy",),
    "system:kube-controller-manager": ("User system:kube-controller-manager",),
    "system:kube-dns": ("ServiceAccount kube-system/kube-dns",),
    "system:kube-scheduler": ("User system:kube-scheduler",),
    "system:volume-scheduler": ("User system:kube-scheduler",),
    "system:node": (),
    "system:service-account-issuer-discovery": ("Group system:serviceaccounts",),
    "system:cluster-trust-bundle-discovery": ("Group system:serviceaccounts",),
}

_LOCK = (
    ("get watch list create update", "coordination.k8s.io", "leases"),
    ("get watch list create update", "coordination.k8s.io", "leasecandidates"),
)
_AUTHENTICATION_READER = "extension-apiserver-authentication-reader"
_ROLES: dict[str, tuple[_Line, ...]] = {
    _AUTHENTICATION_READER: ((_READ, "core", "configmaps", "extension-apiserver-authentication"),),
    "system::leader-locking-kube-controller-manager": _LOCK,
    "system::leader-locking-kube-scheduler": _LOCK,
}
_ROLE_BINDINGS: dict[str, tuple[str, tuple[str, ...]]] = {
    f"system::{_AUTHENTICATION_READER}": (
        _AUTHENTICATION_READER,
        ("User system:kube-controller-manager", "User system:kube-scheduler"),
    ),
    "system::leader-locking-kube-controller-manager": (
        "system::leader-locking-kube-controller-manager",
        (
            "User system:kube-controller-manager",
            "ServiceAccount kube-system/kube-controller-manager",
            "ServiceAccount kube-system/leader-election-controller",
        ),
    ),
    "system::leader-locking-kube-scheduler": (
        "system::leader-locking-kube-scheduler",
        ("User system:kube-scheduler", "ServiceAccount kube-system/kube-scheduler"),
    ),
}


def bootstrap_objects() -> list[Obj]:
    """Return new copies of the roles and bindings to begin with, gathered rules included.

    Those of namespaces are all in ``kube-system``.
    """
    cluster_roles = [_cluster_role(name) for name in _CLUSTER_ROLES]
    cluster_roles += [_gathering_role(name, by) for name, by in _GATHERING.items()]
    gathered = {role["metadata"]["name"]: role for role in stale_roles(cluster_roles)}
    objects = [gathered.get(role["metadata"]["name"], role) for role in cluster_roles]
    objects += [
        _binding("ClusterRoleBinding", name, role=f"ClusterRole {name}", subjects=subjects)
        for name, subjects in _CLUSTER_ROLE_BINDINGS.items()
    ]
    objects += [_object("Role", name, rules=_rules(lines)) for name, lines in _ROLES.items()]
    objects += [
        _binding("RoleBinding", name, role=f"Role {role}", subjects=subjects)
        for name, (role, subjects) in _ROLE_BINDINGS.items()
    ]
    return objects


def _object(kind: str, name: str, **content: object) -> Obj:
    metadata: Obj = {"name": name}
    if not kind.startswith("Cluster"):
        metadata["namespace"] = "kube-system"
    metadata["labels"] = {"kubernetes.io/bootstrapping": "rbac-defaults"}
    metadata["annotations"] = {"rbac.authorization.kubernetes.io/autoupdate": "true"}
    return {"apiVersion": _VERSION, "kind": kind, "metadata": metadata, **content}


def _cluster_role(name: str) -> Obj:
    role = _object("ClusterRole", name, rules=_rules(_CLUSTER_ROLES[name]))
    _, found, target = name.partition("system:aggregate-to-")
    if found:
        role["metadata"]["labels"][_label(target)] = "true"
    return role


def _gathering_role(name: str, gathered_by: str) -> Obj:
    selectors = [{"matchLabels": {_label(name): "true"}}]
    rule = {"clusterRoleSelectors": selectors}
    role = _object("ClusterRole", name, aggregationRule=rule, rules=[])
    if gathered_by:
        role["metadata"]["labels"][_label(gathered_by)] = "true"
    return role


def _label(target: str) -> str:
    return f"{_GROUP}/aggregate-to-{target}"


def _rules(lines: tuple[_Line, ...]) -> list[Rule]:
    return [_rule(*line) for line in lines]


def _rule(verbs: str, first: str, resources: str = "", names: str = "") -> Rule:
    if not resources:
        return {"verbs": _words(verbs), "nonResourceURLs": _words(first)}
    groups = sorted("" if group == "core" else group for group in first.split())
    rule = {"verbs": _words(verbs), "apiGroups": groups, "resources": _words(resources)}
    if names:
        rule["resourceNames"] = _words(names)
    return rule


def _words(text: str) -> list[str]:
    return sorted(text.split())


def _binding(kind: str, name: str, *, role: str, subjects: tuple[str, ...]) -> Obj:
    role_kind, _, role_name = role.partition(" ")
    reference = {"apiGroup": _GROUP, "kind": role_kind, "name": role_name}
    found = _object(kind, name, roleRef=reference)
    if subjects:
        found["subjects"] = [_subject(*subject.split(" ")) for subject in subjects]
    return found


def _subject(kind: str, name: str) -> Obj:
    if kind != "ServiceAccount":
        return {"kind": kind, "apiGroup": _GROUP, "name": name}
    namespace, _, account = name.partition("/")
    return {"kind": kind, "name": account, "namespace": namespace}

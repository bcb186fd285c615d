"""Which printer is for which kind: ``module:name``, read when the first table is asked for."""

from functools import cache
from importlib import import_module

from kubewright.apiserver.table.printer import Printer

_REGISTRATION = "admissionregistration.k8s.io"
_CERTIFICATES = "certificates.k8s.io"
_FLOW = "flowcontrol.apiserver.k8s.io"
_NETWORKING = "networking.k8s.io"
_RBAC = "rbac.authorization.k8s.io"
_RESOURCE = "resource.k8s.io"
_STORAGE = "storage.k8s.io"

PRINTERS: dict[tuple[str, str], str] = {
    ("", "componentstatuses"): "cluster:COMPONENTS",
    ("", "configmaps"): "cluster:CONFIG_MAPS",
    ("", "endpoints"): "network:ENDPOINTS",
    ("", "events"): "cluster:EVENTS",
    ("", "namespaces"): "cluster:NAMESPACES",
    ("", "nodes"): "cluster:NODES",
    ("", "persistentvolumeclaims"): "storage:CLAIMS",
    ("", "persistentvolumes"): "storage:VOLUMES",
    ("", "pods"): "pods:PODS",
    ("", "podtemplates"): "workloads:POD_TEMPLATES",
    ("", "replicationcontrollers"): "workloads:REPLICATION_CONTROLLERS",
    ("", "resourcequotas"): "cluster:RESOURCE_QUOTAS",
    ("", "secrets"): "cluster:SECRETS",
    ("", "serviceaccounts"): "cluster:NAME_AND_AGE",
    ("", "services"): "network:SERVICES",
    ("apiregistration.k8s.io", "apiservices"): "access:API_SERVICES",
    ("apps", "controllerrevisions"): "workloads:REVISIONS",
    ("apps", "daemonsets"): "workloads:DAEMON_SETS",
    ("apps", "deployments"): "workloads:DEPLOYMENTS",
    ("apps", "replicasets"): "workloads:REPLICA_SETS",
    ("apps", "statefulsets"): "workloads:STATEFUL_SETS",
    ("autoscaling", "horizontalpodautoscalers"): "autoscaling:AUTOSCALERS",
    ("batch", "cronjobs"): "workloads:CRON_JOBS",
    ("batch", "jobs"): "workloads:JOBS",
    ("coordination.k8s.io", "leases"): "cluster:LEASES",
    ("discovery.k8s.io", "endpointslices"): "network:ENDPOINT_SLICES",
    ("events.k8s.io", "events"): "cluster:EVENTS",
    ("node.k8s.io", "runtimeclasses"): "cluster:RUNTIME_CLASSES",
    ("policy", "poddisruptionbudgets"): "workloads:DISRUPTION_BUDGETS",
    ("scheduling.k8s.io", "priorityclasses"): "cluster:PRIORITY_CLASSES",
    ("storagemigration.k8s.io", "storageversionmigrations"): "storage:MIGRATIONS",
    (_CERTIFICATES, "certificatesigningrequests"): "access:SIGNING_REQUESTS",
    (_CERTIFICATES, "clustertrustbundles"): "access:TRUST_BUNDLES",
    (_CERTIFICATES, "podcertificaterequests"): "access:POD_CERTIFICATES",
    (_FLOW, "flowschemas"): "access:FLOW_SCHEMAS",
    (_FLOW, "prioritylevelconfigurations"): "access:PRIORITY_LEVELS",
    (_NETWORKING, "ingressclasses"): "network:INGRESS_CLASSES",
    (_NETWORKING, "ingresses"): "network:INGRESSES",
    (_NETWORKING, "ipaddresses"): "network:IP_ADDRESSES",
    (_NETWORKING, "networkpolicies"): "network:NETWORK_POLICIES",
    (_NETWORKING, "servicecidrs"): "network:SERVICE_CIDRS",
    (_RBAC, "clusterrolebindings"): "access:CLUSTER_ROLE_BINDINGS",
    (_RBAC, "rolebindings"): "access:ROLE_BINDINGS",
    (_REGISTRATION, "mutatingadmissionpolicies"): "access:MUTATING_POLICIES",
    (_REGISTRATION, "mutatingadmissionpolicybindings"): "access:POLICY_BINDINGS",
    (_REGISTRATION, "mutatingwebhookconfigurations"): "access:WEBHOOKS",
    (_REGISTRATION, "validatingadmissionpolicies"): "access:VALIDATING_POLICIES",
    (_REGISTRATION, "validatingadmissionpolicybindings"): "access:POLICY_BINDINGS",
    (_REGISTRATION, "validatingwebhookconfigurations"): "access:WEBHOOKS",
    (_RESOURCE, "deviceclasses"): "cluster:NAME_AND_AGE",
    (_RESOURCE, "devicetaintrules"): "resources:TAINTS",
    (_RESOURCE, "resourceclaims"): "resources:CLAIMS",
    (_RESOURCE, "resourceclaimtemplates"): "cluster:NAME_AND_AGE",
    (_RESOURCE, "resourceslices"): "resources:SLICES",
    (_STORAGE, "csidrivers"): "storage:CSI_DRIVERS",
    (_STORAGE, "csinodes"): "storage:CSI_NODES",
    (_STORAGE, "storageclasses"): "storage:STORAGE_CLASSES",
    (_STORAGE, "volumeattachments"): "storage:ATTACHMENTS",
    (_STORAGE, "volumeattributesclasses"): "storage:ATTRIBUTES_CLASSES",
}


@cache
def printer_for(group: str, resource: str) -> Printer:
    """Return the printer of a built-in kind; name and time for one that has none of its own."""
    place = PRINTERS.get((group, resource), "cluster:NAME_AND_TIME")
    module, _, name = place.partition(":")
    found: Printer = getattr(import_module(f"kubewright.apiserver.table.{module}"), name)
    return found

"""The printer of each built-in kind: ``module:name``, imported for its first table."""

from functools import cache
from importlib import import_module

from kubewright.apiserver.table.printer import Printer

_PRINTERS = "kubewright.apiserver.table.builtin"
_REGISTRATION = "admissionregistration.k8s.io"
_CERTIFICATES = "certificates.k8s.io"
_FLOW = "flowcontrol.apiserver.k8s.io"
_NETWORKING = "networking.k8s.io"
_RBAC = "rbac.authorization.k8s.io"
_RESOURCE = "resource.k8s.io"
_STORAGE = "storage.k8s.io"

PRINTERS: dict[tuple[str, str], str] = {
    ("", "componentstatuses"): "core.componentstatuses:COMPONENTS",
    ("", "configmaps"): "core.configmaps:CONFIG_MAPS",
    ("", "endpoints"): "core.endpoints:ENDPOINTS",
    ("", "events"): "core.events:EVENTS",
    ("", "namespaces"): "core.namespaces:NAMESPACES",
    ("", "nodes"): "core.nodes:NODES",
    ("", "persistentvolumeclaims"): "core.persistentvolumes:CLAIMS",
    ("", "persistentvolumes"): "core.persistentvolumes:VOLUMES",
    ("", "pods"): "core.pods:PODS",
    ("", "podtemplates"): "core.podtemplates:POD_TEMPLATES",
    ("", "replicationcontrollers"): "core.replicationcontrollers:REPLICATION_CONTROLLERS",
    ("", "resourcequotas"): "core.resourcequotas:RESOURCE_QUOTAS",
    ("", "secrets"): "core.secrets:SECRETS",
    ("", "serviceaccounts"): "plain:NAME_AND_AGE",
    ("", "services"): "core.services:SERVICES",
    ("apiregistration.k8s.io", "apiservices"): "apiregistration:API_SERVICES",
    ("apps", "controllerrevisions"): "apps:REVISIONS",
    ("apps", "daemonsets"): "apps:DAEMON_SETS",
    ("apps", "deployments"): "apps:DEPLOYMENTS",
    ("apps", "replicasets"): "apps:REPLICA_SETS",
    ("apps", "statefulsets"): "apps:STATEFUL_SETS",
    ("autoscaling", "horizontalpodautoscalers"): "autoscaling:AUTOSCALERS",
    ("batch", "cronjobs"): "batch:CRON_JOBS",
    ("batch", "jobs"): "batch:JOBS",
    ("coordination.k8s.io", "leases"): "coordination:LEASES",
    ("discovery.k8s.io", "endpointslices"): "discovery:ENDPOINT_SLICES",
    ("events.k8s.io", "events"): "core.events:EVENTS",
    ("node.k8s.io", "runtimeclasses"): "node:RUNTIME_CLASSES",
    ("policy", "poddisruptionbudgets"): "policy:DISRUPTION_BUDGETS",
    ("scheduling.k8s.io", "priorityclasses"): "scheduling:PRIORITY_CLASSES",
    ("storagemigration.k8s.io", "storageversionmigrations"): "storagemigration:MIGRATIONS",
    (_CERTIFICATES, "certificatesigningrequests"): "certificates:SIGNING_REQUESTS",
    (_CERTIFICATES, "clustertrustbundles"): "certificates:TRUST_BUNDLES",
    (_CERTIFICATES, "podcertificaterequests"): "certificates:POD_CERTIFICATES",
    (_FLOW, "flowschemas"): "flowcontrol:FLOW_SCHEMAS",
    (_FLOW, "prioritylevelconfigurations"): "flowcontrol:PRIORITY_LEVELS",
    (_NETWORKING, "ingressclasses"): "networking:INGRESS_CLASSES",
    (_NETWORKING, "ingresses"): "networking:INGRESSES",
    (_NETWORKING, "ipaddresses"): "networking:IP_ADDRESSES",
    (_NETWORKING, "networkpolicies"): "networking:NETWORK_POLICIES",
    (_NETWORKING, "servicecidrs"): "networking:SERVICE_CIDRS",
    (_RBAC, "clusterrolebindings"): "rbac:CLUSTER_ROLE_BINDINGS",
    (_RBAC, "rolebindings"): "rbac:ROLE_BINDINGS",
    (_REGISTRATION, "mutatingadmissionpolicies"): "admissionregistration:MUTATING_POLICIES",
    (_REGISTRATION, "mutatingadmissionpolicybindings"): "admissionregistration:POLICY_BINDINGS",
    (_REGISTRATION, "mutatingwebhookconfigurations"): "admissionregistration:WEBHOOKS",
    (_REGISTRATION, "validatingadmissionpolicies"): "admissionregistration:VALIDATING_POLICIES",
    (_REGISTRATION, "validatingadmissionpolicybindings"): "admissionregistration:POLICY_BINDINGS",
    (_REGISTRATION, "validatingwebhookconfigurations"): "admissionregistration:WEBHOOKS",
    (_RESOURCE, "deviceclasses"): "plain:NAME_AND_AGE",
    (_RESOURCE, "devicetaintrules"): "resource:TAINTS",
    (_RESOURCE, "resourceclaims"): "resource:CLAIMS",
    (_RESOURCE, "resourceclaimtemplates"): "plain:NAME_AND_AGE",
    (_RESOURCE, "resourceslices"): "resource:SLICES",
    (_STORAGE, "csidrivers"): "storage:CSI_DRIVERS",
    (_STORAGE, "csinodes"): "storage:CSI_NODES",
    (_STORAGE, "storageclasses"): "storage:STORAGE_CLASSES",
    (_STORAGE, "volumeattachments"): "storage:ATTACHMENTS",
    (_STORAGE, "volumeattributesclasses"): "storage:ATTRIBUTES_CLASSES",
}


@cache
def printer_for(group: str, resource: str) -> Printer:
    """Return the printer of a built-in kind; by default one with name and creation time."""
    place = PRINTERS.get((group, resource), "plain:NAME_AND_TIME")
    module, _, name = place.partition(":")
    found: Printer = getattr(import_module(f"{_PRINTERS}.{module}"), name)
    return found

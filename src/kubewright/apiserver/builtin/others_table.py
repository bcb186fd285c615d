"""Where the behaviour of all kinds but pods and what makes pods is written: ``module:class``."""

_RBAC = "rbac.authorization.k8s.io"
_STORAGE = "storage.k8s.io"
_NETWORKING = "networking.k8s.io"
_REGISTRATION = "admissionregistration.k8s.io"
_CERTIFICATES = "certificates.k8s.io"

OTHERS: dict[tuple[str, str], str] = {
    ("", "configmaps"): "configuration:ConfigMapStrategy",
    ("", "endpoints"): "endpoints:EndpointsStrategy",
    ("", "events"): "events:EventStrategy",
    ("", "limitranges"): "quotas:LimitRangeStrategy",
    ("", "namespaces"): "namespaces:NamespaceStrategy",
    ("", "nodes"): "nodes:NodeStrategy",
    ("", "persistentvolumeclaims"): "volumes:PersistentVolumeClaimStrategy",
    ("", "persistentvolumes"): "volumes:PersistentVolumeStrategy",
    ("", "resourcequotas"): "quotas:ResourceQuotaStrategy",
    ("", "secrets"): "configuration:SecretStrategy",
    ("", "serviceaccounts"): "access:ServiceAccountStrategy",
    ("", "services"): "services:ServiceStrategy",
    ("apiregistration.k8s.io", "apiservices"): "apiservices:APIServiceStrategy",
    ("coordination.k8s.io", "leases"): "coordination:LeaseStrategy",
    ("discovery.k8s.io", "endpointslices"): "endpoints:EndpointSliceStrategy",
    ("events.k8s.io", "events"): "events:EventsV1Strategy",
    ("flowcontrol.apiserver.k8s.io", "flowschemas"): "flowcontrol:FlowSchemaStrategy",
    ("flowcontrol.apiserver.k8s.io", "prioritylevelconfigurations"): (
        "flowcontrol:PriorityLevelStrategy"
    ),
    ("storagemigration.k8s.io", "storageversionmigrations"): (
        "migrations:StorageVersionMigrationStrategy"
    ),
    (_CERTIFICATES, "certificatesigningrequests"): (
        "certificates:CertificateSigningRequestStrategy"
    ),
    (_CERTIFICATES, "clustertrustbundles"): "certificates:ClusterTrustBundleStrategy",
    (_CERTIFICATES, "podcertificaterequests"): "certificates:PodCertificateRequestStrategy",
    (_NETWORKING, "ingressclasses"): "networking:IngressClassStrategy",
    (_NETWORKING, "ingresses"): "ingresses:IngressStrategy",
    (_NETWORKING, "ipaddresses"): "networking:IPAddressStrategy",
    (_NETWORKING, "networkpolicies"): "networking:NetworkPolicyStrategy",
    (_NETWORKING, "servicecidrs"): "networking:ServiceCIDRStrategy",
    (_RBAC, "clusterrolebindings"): "access:ClusterRoleBindingStrategy",
    (_RBAC, "clusterroles"): "access:ClusterRoleStrategy",
    (_RBAC, "rolebindings"): "access:RoleBindingStrategy",
    (_RBAC, "roles"): "access:RoleStrategy",
    (_REGISTRATION, "mutatingadmissionpolicies"): (
        "admission_policies:MutatingAdmissionPolicyStrategy"
    ),
    (_REGISTRATION, "mutatingadmissionpolicybindings"): (
        "admission_policies:MutatingPolicyBindingStrategy"
    ),
    (_REGISTRATION, "mutatingwebhookconfigurations"): "registration:MutatingWebhookStrategy",
    (_REGISTRATION, "validatingadmissionpolicies"): (
        "admission_policies:ValidatingAdmissionPolicyStrategy"
    ),
    (_REGISTRATION, "validatingadmissionpolicybindings"): (
        "admission_policies:ValidatingPolicyBindingStrategy"
    ),
    (_REGISTRATION, "validatingwebhookconfigurations"): "registration:ValidatingWebhookStrategy",
    (_STORAGE, "csidrivers"): "storage:CSIDriverStrategy",
    (_STORAGE, "csinodes"): "storage:CSINodeStrategy",
    (_STORAGE, "csistoragecapacities"): "storage:CSIStorageCapacityStrategy",
    (_STORAGE, "storageclasses"): "storage:StorageClassStrategy",
    (_STORAGE, "volumeattachments"): "storage:VolumeAttachmentStrategy",
    (_STORAGE, "volumeattributesclasses"): "storage:VolumeAttributesClassStrategy",
}

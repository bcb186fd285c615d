"""Where the behaviour of each built-in kind is written: group, resource, ``module:class``."""

STRATEGIES: dict[str, dict[str, str]] = {
    "": {
        "configmaps": "core.configuration:ConfigMapStrategy",
        "endpoints": "core.endpoints:EndpointsStrategy",
        "events": "core.events:EventStrategy",
        "limitranges": "core.quotas:LimitRangeStrategy",
        "namespaces": "core.namespaces:NamespaceStrategy",
        "nodes": "core.nodes:NodeStrategy",
        "persistentvolumeclaims": "core.persistentvolumes:PersistentVolumeClaimStrategy",
        "persistentvolumes": "core.persistentvolumes:PersistentVolumeStrategy",
        "pods": "core.pod.pods:PodStrategy",
        "podtemplates": "core.podtemplates:PodTemplateStrategy",
        "replicationcontrollers": "apps.deployments:ReplicationControllerStrategy",
        "resourcequotas": "core.quotas:ResourceQuotaStrategy",
        "secrets": "core.configuration:SecretStrategy",
        "serviceaccounts": "rbac:ServiceAccountStrategy",
        "services": "core.service.services:ServiceStrategy",
    },
    "admissionregistration.k8s.io": {
        "mutatingadmissionpolicies": (
            "admissionregistration.policies:MutatingAdmissionPolicyStrategy"
        ),
        "mutatingadmissionpolicybindings": (
            "admissionregistration.policies:MutatingPolicyBindingStrategy"
        ),
        "mutatingwebhookconfigurations": "admissionregistration.webhooks:MutatingWebhookStrategy",
        "validatingadmissionpolicies": (
            "admissionregistration.policies:ValidatingAdmissionPolicyStrategy"
        ),
        "validatingadmissionpolicybindings": (
            "admissionregistration.policies:ValidatingPolicyBindingStrategy"
        ),
        "validatingwebhookconfigurations": (
            "admissionregistration.webhooks:ValidatingWebhookStrategy"
        ),
    },
    "apiregistration.k8s.io": {
        "apiservices": "apiregistration:APIServiceStrategy",
    },
    "apps": {
        "controllerrevisions": "apps.daemonsets:ControllerRevisionStrategy",
        "daemonsets": "apps.daemonsets:DaemonSetStrategy",
        "deployments": "apps.deployments:DeploymentStrategy",
        "replicasets": "apps.deployments:ReplicaSetStrategy",
        "statefulsets": "apps.statefulsets:StatefulSetStrategy",
    },
    "autoscaling": {
        "horizontalpodautoscalers": "autoscaling.autoscalers:AutoscalerStrategy",
    },
    "batch": {
        "cronjobs": "batch.cronjobs:CronJobStrategy",
        "jobs": "batch.jobs:JobStrategy",
    },
    "certificates.k8s.io": {
        "certificatesigningrequests": "certificates:CertificateSigningRequestStrategy",
        "clustertrustbundles": "certificates:ClusterTrustBundleStrategy",
        "podcertificaterequests": "certificates:PodCertificateRequestStrategy",
    },
    "coordination.k8s.io": {
        "leases": "coordination:LeaseStrategy",
    },
    "discovery.k8s.io": {
        "endpointslices": "core.endpoints:EndpointSliceStrategy",
    },
    "events.k8s.io": {
        "events": "core.events:EventsV1Strategy",
    },
    "flowcontrol.apiserver.k8s.io": {
        "flowschemas": "flowcontrol:FlowSchemaStrategy",
        "prioritylevelconfigurations": "flowcontrol:PriorityLevelStrategy",
    },
    "networking.k8s.io": {
        "ingressclasses": "networking.policies:IngressClassStrategy",
        "ingresses": "networking.ingresses:IngressStrategy",
        "ipaddresses": "networking.policies:IPAddressStrategy",
        "networkpolicies": "networking.policies:NetworkPolicyStrategy",
        "servicecidrs": "networking.policies:ServiceCIDRStrategy",
    },
    "node.k8s.io": {
        "runtimeclasses": "node:RuntimeClassStrategy",
    },
    "policy": {
        "poddisruptionbudgets": "policy:DisruptionBudgetStrategy",
    },
    "rbac.authorization.k8s.io": {
        "clusterrolebindings": "rbac:ClusterRoleBindingStrategy",
        "clusterroles": "rbac:ClusterRoleStrategy",
        "rolebindings": "rbac:RoleBindingStrategy",
        "roles": "rbac:RoleStrategy",
    },
    "resource.k8s.io": {
        "deviceclasses": "resource:DeviceClassStrategy",
        "resourceclaims": "resource:ResourceClaimStrategy",
        "resourceclaimtemplates": "resource:ResourceClaimTemplateStrategy",
        "resourceslices": "resource:ResourceSliceStrategy",
    },
    "scheduling.k8s.io": {
        "priorityclasses": "scheduling:PriorityClassStrategy",
    },
    "storage.k8s.io": {
        "csidrivers": "storage:CSIDriverStrategy",
        "csinodes": "storage:CSINodeStrategy",
        "csistoragecapacities": "storage:CSIStorageCapacityStrategy",
        "storageclasses": "storage:StorageClassStrategy",
        "volumeattachments": "storage:VolumeAttachmentStrategy",
        "volumeattributesclasses": "storage:VolumeAttributesClassStrategy",
    },
    "storagemigration.k8s.io": {
        "storageversionmigrations": "storagemigration:StorageVersionMigrationStrategy",
    },
}

"""The strategy of each built-in kind, by group and resource: ``module:class``."""

STRATEGIES: dict[str, dict[str, str]] = {
    "": {
        "configmaps": "core.configmaps:ConfigMapStrategy",
        "endpoints": "core.endpoints:EndpointsStrategy",
        "events": "core.events:EventStrategy",
        "limitranges": "core.limitranges:LimitRangeStrategy",
        "namespaces": "core.namespaces:NamespaceStrategy",
        "nodes": "core.nodes:NodeStrategy",
        "persistentvolumeclaims": "core.persistentvolumeclaims:PersistentVolumeClaimStrategy",
        "persistentvolumes": "core.persistentvolumes:PersistentVolumeStrategy",
        "pods": "core.pod.pods:PodStrategy",
        "podtemplates": "core.podtemplates:PodTemplateStrategy",
        "replicationcontrollers": "core.replicationcontrollers:ReplicationControllerStrategy",
        "resourcequotas": "core.resourcequotas:ResourceQuotaStrategy",
        "secrets": "core.secrets:SecretStrategy",
        "services": "core.service.services:ServiceStrategy",
    },
    "admissionregistration.k8s.io": {
        "mutatingadmissionpolicies": (
            "admissionregistration.policies:MutatingAdmissionPolicyStrategy"
        ),
        "mutatingadmissionpolicybindings": (
            "admissionregistration.policies:MutatingAdmissionPolicyBindingStrategy"
        ),
        "mutatingwebhookconfigurations": (
            "admissionregistration.webhooks:MutatingWebhookConfigurationStrategy"
        ),
        "validatingadmissionpolicies": (
            "admissionregistration.policies:ValidatingAdmissionPolicyStrategy"
        ),
        "validatingadmissionpolicybindings": (
            "admissionregistration.policies:ValidatingAdmissionPolicyBindingStrategy"
        ),
        "validatingwebhookconfigurations": (
            "admissionregistration.webhooks:ValidatingWebhookConfigurationStrategy"
        ),
    },
    "apiregistration.k8s.io": {
        "apiservices": "apiregistration:APIServiceStrategy",
    },
    "apps": {
        "controllerrevisions": "apps.controllerrevisions:ControllerRevisionStrategy",
        "daemonsets": "apps.daemonsets:DaemonSetStrategy",
        "deployments": "apps.deployments:DeploymentStrategy",
        "replicasets": "apps.replicasets:ReplicaSetStrategy",
        "statefulsets": "apps.statefulsets:StatefulSetStrategy",
    },
    "autoscaling": {
        "horizontalpodautoscalers": (
            "autoscaling.horizontalpodautoscalers:HorizontalPodAutoscalerStrategy"
        ),
    },
    "batch": {
        "cronjobs": "batch.cronjobs:CronJobStrategy",
        "jobs": "batch.jobs:JobStrategy",
    },
    "certificates.k8s.io": {
        "certificatesigningrequests": (
            "certificates.certificatesigningrequests:CertificateSigningRequestStrategy"
        ),
        "clustertrustbundles": "certificates.clustertrustbundles:ClusterTrustBundleStrategy",
        "podcertificaterequests": (
            "certificates.podcertificaterequests:PodCertificateRequestStrategy"
        ),
    },
    "coordination.k8s.io": {
        "leases": "coordination:LeaseStrategy",
    },
    "discovery.k8s.io": {
        "endpointslices": "discovery:EndpointSliceStrategy",
    },
    "events.k8s.io": {
        "events": "core.events:EventsV1Strategy",
    },
    "flowcontrol.apiserver.k8s.io": {
        "flowschemas": "flowcontrol:FlowSchemaStrategy",
        "prioritylevelconfigurations": "flowcontrol:PriorityLevelConfigurationStrategy",
    },
    "networking.k8s.io": {
        "ingressclasses": "networking.ingressclasses:IngressClassStrategy",
        "ingresses": "networking.ingresses:IngressStrategy",
        "ipaddresses": "networking.ipaddresses:IPAddressStrategy",
        "networkpolicies": "networking.networkpolicies:NetworkPolicyStrategy",
        "servicecidrs": "networking.servicecidrs:ServiceCIDRStrategy",
    },
    "node.k8s.io": {
        "runtimeclasses": "node:RuntimeClassStrategy",
    },
    "policy": {
        "poddisruptionbudgets": "policy:PodDisruptionBudgetStrategy",
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
        "csidrivers": "storage.csidrivers:CSIDriverStrategy",
        "csinodes": "storage.csinodes:CSINodeStrategy",
        "csistoragecapacities": "storage.csistoragecapacities:CSIStorageCapacityStrategy",
        "storageclasses": "storage.storageclasses:StorageClassStrategy",
        "volumeattachments": "storage.volumeattachments:VolumeAttachmentStrategy",
        "volumeattributesclasses": "storage.volumeattributesclasses:VolumeAttributesClassStrategy",
    },
    "storagemigration.k8s.io": {
        "storageversionmigrations": "storagemigration:StorageVersionMigrationStrategy",
    },
}

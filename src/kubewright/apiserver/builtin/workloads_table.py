"""Where the behaviour of pods and of what makes pods is written: ``module:class``."""

from kubewright.apiserver.meta.names import GroupResource

WORKLOADS: dict[GroupResource, str] = {
    GroupResource("", "pods"): "pods:PodStrategy",
    GroupResource("", "podtemplates"): "podtemplates:PodTemplateStrategy",
    GroupResource("", "replicationcontrollers"): "apps:ReplicationControllerStrategy",
    GroupResource("apps", "deployments"): "apps:DeploymentStrategy",
    GroupResource("apps", "replicasets"): "apps:ReplicaSetStrategy",
    GroupResource("apps", "statefulsets"): "statefulsets:StatefulSetStrategy",
    GroupResource("apps", "daemonsets"): "daemonsets:DaemonSetStrategy",
    GroupResource("apps", "controllerrevisions"): "daemonsets:ControllerRevisionStrategy",
    GroupResource("batch", "jobs"): "batch:JobStrategy",
    GroupResource("batch", "cronjobs"): "cronjobs:CronJobStrategy",
    GroupResource("autoscaling", "horizontalpodautoscalers"): "autoscaling:AutoscalerStrategy",
    GroupResource("policy", "poddisruptionbudgets"): "policy:DisruptionBudgetStrategy",
    GroupResource("scheduling.k8s.io", "priorityclasses"): "priority:PriorityClassStrategy",
    GroupResource("node.k8s.io", "runtimeclasses"): "runtimeclasses:RuntimeClassStrategy",
    GroupResource("resource.k8s.io", "resourceclaims"): "resourceclaims:ResourceClaimStrategy",
    GroupResource("resource.k8s.io", "resourceclaimtemplates"): (
        "resourceclaims:ResourceClaimTemplateStrategy"
    ),
    GroupResource("resource.k8s.io", "deviceclasses"): "resourceclaims:DeviceClassStrategy",
    GroupResource("resource.k8s.io", "resourceslices"): "resourceclaims:ResourceSliceStrategy",
}

"""What the generator has to know that no document says."""

from typing import Any, Literal

Schema = dict[str, Any]
Category = Literal["collection", "struct", "scalar", "time", "any"]

# The definitions of a server that belong to Kubernetes itself. Those of custom resources have
# schemas of their own, which `kubewright.crd` turns into classes.
PACKAGES = (
    "io.k8s.api.",
    "io.k8s.apimachinery.pkg.",
    "io.k8s.apiextensions-apiserver.pkg.apis.",
    "io.k8s.kube-aggregator.pkg.apis.",
)
META = "io.k8s.apimachinery.pkg.apis.meta.v1."
EXTENSIONS = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1."
OBJECT_META = META + "ObjectMeta"
LIST_META = META + "ListMeta"

# Written by hand, because all of the framework uses them.
HAND_WRITTEN = {
    META + name: name
    for name in (
        "Condition", "LabelSelector", "LabelSelectorRequirement", "ListMeta",
        "ManagedFieldsEntry", "ObjectMeta", "OwnerReference", "ShardInfo",
    )
}  # fmt: skip

# Definitions that are no classes: what stands for them, and where in `kinds` their name is kept.
ALIASES: dict[str, tuple[str, Category]] = {
    "io.k8s.apimachinery.pkg.api.resource.Quantity": ("Quantity", "scalar"),
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": ("IntOrString", "scalar"),
    "io.k8s.apimachinery.pkg.runtime.RawExtension": ("Any", "any"),
    META + "Time": ("datetime", "time"),
    META + "MicroTime": ("MicroTime", "time"),
    META + "FieldsV1": ("dict[str, Any]", "collection"),
    META + "Patch": ("dict[str, Any]", "collection"),
    EXTENSIONS + "JSON": ("Any", "any"),
    EXTENSIONS + "JSONSchemaPropsOrArray": ("JSONSchemaProps | list[JSONSchemaProps]", "scalar"),
    EXTENSIONS + "JSONSchemaPropsOrBool": ("JSONSchemaProps | bool", "scalar"),
    EXTENSIONS + "JSONSchemaPropsOrStringArray": ("JSONSchemaProps | list[str]", "scalar"),
}

# Modules that are loaded kind by kind, since a program uses few of their kinds. Each kind has a
# file with its parts; one that consists of the parts of another is in the file of that one.
SPLIT = {"core.v1": {"PodTemplate": "Pod", "ReplicationController": "Pod"}}

IMPORTS = {
    "Any": "typing",
    "Union": "typing",
    "datetime": "datetime",
    "MicroTime": "kubewright._json",
    "IntOrString": "kubewright.api.intorstring",
    "Quantity": "kubewright.api.quantity",
    "ResourceList": "kubewright.api.lists",
    "Model": "kubewright.api.model",
    "absent": "kubewright.api.model",
    "field": "kubewright.api.model",
    "Resource": "kubewright.api.resource",
    "builtin": "kubewright.api.resource",
    **dict.fromkeys(HAND_WRITTEN.values(), "kubewright.api.meta"),
}

# Required by the document, but a pointer in Go without `omitempty`: Go writes `null` when it is
# not set. The selectors of Deployment, DaemonSet, ReplicaSet and StatefulSet are such pointers as
# well; they are not listed, since no server has ever accepted a workload without a selector, and
# `deployment.spec.selector.match_labels` should need no check for None.
NULL_IN_GO = {
    "admissionregistration.v1.MutatingWebhook.sideEffects",
    "admissionregistration.v1.ValidatingWebhook.sideEffects",
    "core.v1.EvictionResponder.priority",
    "core.v1.NodeAllocatableMappedResources.quantity",
    "core.v1.ScaleIOPersistentVolumeSource.secretRef",
    "core.v1.ScaleIOVolumeSource.secretRef",
    "networking.v1.HTTPIngressPath.pathType",
    # With `omitempty`, so that they are absent instead; required by the document all the same.
    "networking.v1.IPAddressSpec.parentRef",
    "resource.v1.CapacityRequestPolicyRange.min",
}

# Required by the document, but a plain string in Go with `omitempty`: an empty one is not written.
ABSENT_IN_GO = {
    "admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec.policyName",
    "authentication.v1.TokenReviewSpec.token",
    "core.v1.ContainerRestartRule.action",
    "core.v1.ContainerRestartRuleOnExitCodes.operator",
    "core.v1.ImageVolumeStatus.imageRef",
    "core.v1.PodCertificateProjection.keyType",
    "core.v1.PodCertificateProjection.signerName",
    "flowcontrol.v1.FlowSchemaCondition.type",
    "flowcontrol.v1.PriorityLevelConfigurationCondition.type",
    "networking.v1.ParentReference.name",
    "networking.v1.ParentReference.resource",
}

# Made of a LocalObjectReference and more: controller-gen takes the map type of the one over.
_NAMED = ("ConfigMapEnvSource", "ConfigMapProjection", "ConfigMapVolumeSource", "SecretEnvSource",
          "SecretProjection")  # fmt: skip
INLINED = {f"core.v1.{name}" for name in _NAMED}

# The defaults among the zeros of an OpenAPI v3 document: Go's types say `+default=` there.
ZERO_DEFAULTS = {
    *(f"{label}.name" for label in INLINED),
    "core.v1.ConfigMapKeySelector.name",
    "core.v1.LocalObjectReference.name",
    "core.v1.SecretKeySelector.name",
    "autoscaling.v1.ScaleSpec.replicas",
    "core.v1.AzureDiskVolumeSource.readOnly",
    "core.v1.FileKeySelector.optional",
    "core.v1.GRPCAction.service",
    "core.v1.ReplicationControllerSpec.minReadySeconds",
}

# Defaults that Go's types name by a constant, which controller-gen cannot look up.
CONSTANT_DEFAULTS = {
    "core.v1.AzureDiskVolumeSource.cachingMode",
    "core.v1.AzureDiskVolumeSource.kind",
}

ZEROS = {"str": '""', "int": "0", "float": "0.0", "bool": "False", "bytes": 'b""'}
SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}

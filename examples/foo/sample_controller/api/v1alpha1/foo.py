"""The kind Foo, in version v1alpha1."""

from typing import Annotated

import kubewright as kw

# The name becomes the value of a label, and so may be no longer than one.
SHORT_NAME = {"type": "object", "properties": {"name": {"type": "string", "maxLength": 63}}}
OBJECT_NAME = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"


class FooSpec(kw.Model):
    """What is wanted."""

    deployment_name: Annotated[str, kw.MinLength(1), kw.MaxLength(253), kw.Pattern(OBJECT_NAME)]
    """The name of the Deployment."""
    replicas: Annotated[kw.Int32, kw.Minimum(1), kw.Maximum(10)] = 1
    """How many pods it has."""


class FooStatus(kw.Model):
    """What there is."""

    available_replicas: kw.Int32 = 0
    """How many pods are available."""
    conditions: kw.Conditions = []
    """Synced says whether the Deployment is as wanted, and if not, why."""


@kw.resource(
    group="samplecontroller.k8s.io",
    version="v1alpha1",
    # API servers want to know who has approved a kind in a group of Kubernetes' own.
    annotations={"api-approved.kubernetes.io": "unapproved, experimental-only"},
    columns=[
        kw.Column("Deployment", ".spec.deploymentName"),
        kw.Column("Replicas", ".spec.replicas", type="integer"),
        kw.Column("Available", ".status.availableReplicas", type="integer"),
        kw.Column("Synced", ".status.conditions[?(@.type=='Synced')].status"),
    ],
)
class Foo(kw.Resource):
    """A Deployment of nginx under a name that you choose."""

    metadata: Annotated[kw.ObjectMeta, kw.Schema(SHORT_NAME)] = kw.field(
        default_factory=kw.ObjectMeta
    )
    spec: FooSpec
    status: FooStatus = kw.field(default_factory=FooStatus)

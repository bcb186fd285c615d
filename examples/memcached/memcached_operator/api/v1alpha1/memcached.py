"""The kind Memcached, in version v1alpha1."""

from typing import Annotated

import kubewright as kw

# The name becomes the value of a label, and so may be no longer than one.
SHORT_NAME = {"type": "object", "properties": {"name": {"type": "string", "maxLength": 63}}}


class MemcachedSpec(kw.Model):
    """What is wanted."""

    size: Annotated[kw.Int32, kw.Minimum(1), kw.Maximum(5)] = 1
    """How many nodes there are."""
    container_port: Annotated[kw.Int32, kw.Minimum(1), kw.Maximum(65535)] = 11211
    """The port that each node listens on."""


class MemcachedStatus(kw.Model):
    """What there is."""

    nodes: list[str] = []
    """The names of the pods, sorted."""
    replicas: kw.Int32 = 0
    """How many pods there are; kubectl scale and autoscalers read it."""
    selector: str = ""
    """What selects the pods; autoscalers read it."""
    observed_generation: int | None = None
    """The generation of the Memcached that was reconciled last."""
    conditions: kw.Conditions = []
    """Available: a node answers. Progressing: not all is as wanted yet. Degraded: look at it."""


@kw.resource(
    group="cache.example.com",
    version="v1alpha1",
    scale=kw.Scale(spec_replicas_path=".spec.size", label_selector_path=".status.selector"),
    columns=[
        kw.Column("Size", ".spec.size", type="integer"),
        kw.Column("Nodes", ".status.replicas", type="integer"),
        kw.Column("Available", ".status.conditions[?(@.type=='Available')].status"),
        kw.Column("Age", ".metadata.creationTimestamp", type="date"),
    ],
)
class Memcached(kw.Resource):
    """A number of memcached nodes."""

    metadata: Annotated[kw.ObjectMeta, kw.Schema(SHORT_NAME)] = kw.field(
        default_factory=kw.ObjectMeta
    )
    spec: MemcachedSpec = kw.field(default_factory=MemcachedSpec)
    status: MemcachedStatus = kw.field(default_factory=MemcachedStatus)

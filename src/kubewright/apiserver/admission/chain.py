"""The admission chain: every plugin, in the order of Kubernetes.

Each write passes the chain in three phases. First all plugins `admit` (change) the object, then
the kind validates it, then all plugins `validate` it. What a plugin charges for the write is stored
with it, in one step (`charge`, decision 0044).
"""

from importlib import import_module
from typing import NamedTuple

from kubewright.apiserver.admission.attributes import Attributes, Operation
from kubewright.apiserver.admission.plugin import AdmissionPlugin, Charged, PluginContext
from kubewright.apiserver.meta.names import GroupResource

_REGISTRATION = "admissionregistration.k8s.io"
PODS = GroupResource("", "pods")
NODES = GroupResource("", "nodes")
CLAIMS = GroupResource("", "persistentvolumeclaims")
VOLUMES = GroupResource("", "persistentvolumes")
INGRESSES = GroupResource("networking.k8s.io", "ingresses")
PRIORITY_CLASSES = GroupResource("scheduling.k8s.io", "priorityclasses")

CREATE: tuple[Operation, ...] = ("CREATE",)
UPDATE: tuple[Operation, ...] = ("UPDATE",)
WRITE: tuple[Operation, ...] = ("CREATE", "UPDATE")
CHANGE: tuple[Operation, ...] = ("CREATE", "UPDATE", "DELETE")
ANY: tuple[Operation, ...] = ("CREATE", "UPDATE", "DELETE", "CONNECT")


class PluginEntry(NamedTuple):
    """A plugin's place in the chain, and when it is called there.

    The plugin is the class *name* in ``admission/plugins/<name in lower case>.py``; that module is
    loaded with the first write that the plugin handles.

    Attributes:
        name: As Kubernetes calls it.
        phases: In which it takes part.
        operations: Which operations it handles.
        resources: Whose objects it handles, without their subresources; every resource and
            subresource if there are none.
        configured_by: The plugin has nothing to do before an object of this resource was stored.
    """

    name: str
    phases: tuple[str, ...]
    operations: tuple[Operation, ...]
    resources: tuple[GroupResource, ...] = ()
    configured_by: GroupResource | None = None

    def handles(self, operation: Operation, resource: GroupResource | None) -> bool:
        """Whether the plugin is called for an operation on *resource*; ``None`` is any other."""
        return operation in self.operations and (not self.resources or resource in self.resources)

    def load(self, context: PluginContext) -> AdmissionPlugin:
        """Import the plugin and make it."""
        module = import_module(f"kubewright.apiserver.admission.plugins.{self.name.lower()}")
        plugin: AdmissionPlugin = getattr(module, self.name)(context)
        return plugin


# The order of kube-apiserver (AllOrderedPlugins), without the plugins that we do not have.
PLUGINS: tuple[PluginEntry, ...] = (
    PluginEntry("NamespaceLifecycle", ("admit",), CHANGE),
    PluginEntry(
        "LimitRanger",
        ("admit", "validate"),
        WRITE,
        (PODS, CLAIMS),
        GroupResource("", "limitranges"),
    ),
    PluginEntry("ServiceAccount", ("admit",), CREATE, (PODS,)),
    PluginEntry("TaintNodesByCondition", ("admit",), CREATE, (NODES,)),
    PluginEntry("Priority", ("admit", "validate"), WRITE, (PODS, PRIORITY_CLASSES)),
    PluginEntry("DefaultTolerationSeconds", ("admit",), WRITE, (PODS,)),
    PluginEntry(
        "DefaultStorageClass",
        ("admit",),
        CREATE,
        (CLAIMS,),
        GroupResource("storage.k8s.io", "storageclasses"),
    ),
    PluginEntry("StorageObjectInUseProtection", ("admit",), CREATE, (CLAIMS, VOLUMES)),
    PluginEntry("PersistentVolumeClaimResize", ("validate",), UPDATE, (CLAIMS,)),
    PluginEntry("RuntimeClass", ("admit",), CREATE, (PODS,)),
    PluginEntry(
        "DefaultIngressClass",
        ("admit",),
        CREATE,
        (INGRESSES,),
        GroupResource("networking.k8s.io", "ingressclasses"),
    ),
    PluginEntry(
        "MutatingAdmissionPolicy",
        ("admit",),
        ANY,
        configured_by=GroupResource(_REGISTRATION, "mutatingadmissionpolicies"),
    ),
    PluginEntry(
        "MutatingAdmissionWebhook",
        ("admit",),
        ANY,
        configured_by=GroupResource(_REGISTRATION, "mutatingwebhookconfigurations"),
    ),
    PluginEntry(
        "ValidatingAdmissionPolicy",
        ("validate",),
        ANY,
        configured_by=GroupResource(_REGISTRATION, "validatingadmissionpolicies"),
    ),
    PluginEntry(
        "ValidatingAdmissionWebhook",
        ("validate",),
        ANY,
        configured_by=GroupResource(_REGISTRATION, "validatingwebhookconfigurations"),
    ),
    PluginEntry(
        "ResourceQuota", ("charge",), WRITE, configured_by=GroupResource("", "resourcequotas")
    ),
)

_NAMED: frozenset[tuple[str, ...]] = frozenset(
    resource for entry in PLUGINS for resource in entry.resources
)


class _Link:
    """A plugin in the chain, made when it is first called."""

    __slots__ = ("_plugin", "configured_by", "entry")

    def __init__(self, entry: PluginEntry) -> None:
        self.entry = entry
        self.configured_by = entry.configured_by
        self._plugin: AdmissionPlugin | None = None

    def plugin(self, context: PluginContext) -> AdmissionPlugin:
        if self._plugin is None:
            self._plugin = self.entry.load(context)
        return self._plugin


class _Links(NamedTuple):
    """The plugins that handle one operation on one resource, by phase."""

    admit: list[_Link]
    validate: list[_Link]
    charge: list[_Link]


class AdmissionChain:
    """Calls every plugin that handles a write, phase by phase.

    Args:
        context: Passed to each plugin when it is made.
        disabled: The names of plugins that are left out.
    """

    def __init__(self, context: PluginContext, *, disabled: frozenset[str] = frozenset()) -> None:
        self._context = context
        self._revision_of = context.reader.revision_of
        self._chain = [_Link(entry) for entry in PLUGINS if entry.name not in disabled]
        self._found: dict[tuple[Operation, tuple[str, ...]] | Operation, _Links] = {}

    async def admit(self, attributes: Attributes) -> None:
        """Let every plugin change ``attributes.object``.

        After a webhook or policy has changed it, all of them are called once more.

        Raises:
            StatusError: The write is refused.
        """
        links = self._links(attributes).admit
        await self._admit(links, attributes)
        again = attributes.reinvocation
        if again is not None and again.is_wanted:
            again.is_second = True
            await self._admit(links, attributes)

    async def _admit(self, links: list[_Link], attributes: Attributes) -> None:
        for link in links:
            if link.configured_by is None or self._revision_of(link.configured_by):
                waiting = link.plugin(self._context).admit(attributes)
                if waiting is not None:
                    await waiting

    async def validate(self, attributes: Attributes) -> None:
        """Let every plugin check the object as it will be stored.

        Raises:
            StatusError: The write is refused.
        """
        for link in self._links(attributes).validate:
            if link.configured_by is None or self._revision_of(link.configured_by):
                waiting = link.plugin(self._context).validate(attributes)
                if waiting is not None:
                    await waiting

    def charge(self, attributes: Attributes) -> list[Charged]:
        """Return the quotas to store together with the write; call it right before the write.

        Raises:
            StatusError: The write is refused.
        """
        charged: list[Charged] = []
        for link in self._links(attributes).charge:
            if link.configured_by is None or self._revision_of(link.configured_by):
                charged += link.plugin(self._context).charge(attributes)
        return charged

    def _links(self, attributes: Attributes) -> _Links:
        """Return the plugins for a write; resources that no plugin names share one entry."""
        operation, resource = attributes.operation, attributes.resource[::2]  # without the version
        known = resource in _NAMED and not attributes.subresource
        key = (operation, resource) if known else operation
        found = self._found.get(key)
        if found is None:
            wanted = GroupResource(*resource) if known else None
            handling = [link for link in self._chain if link.entry.handles(operation, wanted)]
            phases = (
                [link for link in handling if phase in link.entry.phases]
                for phase in _Links._fields
            )
            found = self._found[key] = _Links(*phases)
        return found

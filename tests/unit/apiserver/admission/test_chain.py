import inspect
from importlib import import_module

import pytest

from kubewright.apiserver.admission.chain import PLUGINS, AdmissionChain, PluginEntry
from kubewright.apiserver.admission.configuration import MUTATING, VALIDATING
from kubewright.apiserver.admission.plugin import AdmissionPlugin
from kubewright.apiserver.admission.plugins.validatingadmissionpolicy import BINDINGS, POLICIES
from kubewright.apiserver.meta.status import StatusError
from tests.unit.apiserver.admission.writes import context, pod_write, store, write

RULE = {"operations": ["*"], "apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*"]}
KUBERNETES = (
    "AlwaysAdmit NamespaceAutoProvision NamespaceLifecycle NamespaceExists"
    " LimitPodHardAntiAffinityTopology LimitRanger ServiceAccount NodeRestriction"
    " TaintNodesByCondition AlwaysPullImages ImagePolicyWebhook PodSecurity PodNodeSelector"
    " Priority DefaultTolerationSeconds PodTolerationRestriction EventRateLimit"
    " ExtendedResourceToleration DefaultStorageClass StorageObjectInUseProtection"
    " OwnerReferencesPermissionEnforcement PersistentVolumeClaimResize RuntimeClass"
    " CertificateApproval CertificateSigning ClusterTrustBundleAttest"
    " CertificateSubjectRestriction DefaultIngressClass DenyServiceExternalIPs PodTopologyLabels"
    " MutatingAdmissionPolicy MutatingAdmissionWebhook ValidatingAdmissionPolicy"
    " ValidatingAdmissionWebhook ResourceQuota AlwaysDeny"
)


def test_the_order_is_that_of_kubernetes() -> None:
    """Whoever relies on a default being set before a webhook sees the object relies on this."""
    names = [entry.name for entry in PLUGINS]

    assert names == [name for name in KUBERNETES.split() if name in names]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("entry", PLUGINS, ids=lambda entry: entry.name)
def test_a_plugin_takes_part_in_the_phases_that_the_chain_calls(entry: PluginEntry) -> None:
    """A phase that is missing in the table would be written and never called."""
    module = import_module(f"kubewright.apiserver.admission.plugins.{entry.name.lower()}")
    plugin = getattr(module, entry.name)
    own = {
        phase
        for phase in ("admit", "validate", "charge")
        if getattr(plugin, phase) is not getattr(AdmissionPlugin, phase)
    }

    assert own == {*entry.phases}
    assert inspect.getdoc(plugin)


@pytest.mark.parametrize(
    ("name", "operation", "resource", "handles"),
    [
        ("DefaultTolerationSeconds", "UPDATE", ("", "pods"), True),
        ("DefaultTolerationSeconds", "DELETE", ("", "pods"), False),
        ("DefaultTolerationSeconds", "CREATE", ("", "configmaps"), False),
        ("ValidatingAdmissionWebhook", "CONNECT", ("example.com", "foos"), True),
    ],
)
def test_a_plugin_is_called_for_what_it_handles(
    name: str, operation: str, resource: tuple[str, str], handles: bool
) -> None:
    """A ConfigMap must not pay for what pods need."""
    [entry] = [entry for entry in PLUGINS if entry.name == name]

    assert entry.handles(operation, resource) is handles  # type: ignore[arg-type]  # plain names


async def test_plugins_for_pods_leave_subresources_alone() -> None:
    """A Binding is written to a pod, and has neither tolerations nor a priority."""
    binding = {"metadata": {"name": "p"}, "target": {"name": "n"}}
    attributes = pod_write({**binding})
    attributes.namespace, attributes.subresource = "shop", "binding"

    await AdmissionChain(context()).admit(attributes)

    assert attributes.object == binding


async def test_a_plugin_can_be_left_out() -> None:
    """Kubernetes has --disable-admission-plugins for it."""
    pod = {"metadata": {"name": "p", "namespace": "shop"}, "spec": {"containers": []}}
    attributes = pod_write(pod)
    attributes.namespace = "shop"

    with pytest.raises(StatusError, match="error looking up service account shop/default"):
        await AdmissionChain(context()).admit(attributes)
    await AdmissionChain(context(), disabled=frozenset({"ServiceAccount"})).admit(attributes)


async def test_without_webhooks_nothing_is_made_to_call_them() -> None:
    """TLS is not even loaded for most servers."""
    admission = AdmissionChain(context())
    attributes = write()

    await admission.admit(attributes)
    await admission.validate(attributes)

    assert admission.charge(attributes) == []


async def test_the_namespace_is_checked_before_webhooks_are_asked() -> None:
    """They would be shown what cannot be."""
    reader = store()
    reader.put(MUTATING, {"metadata": {"name": "c"}, "webhooks": [{"name": "h"}]})

    with pytest.raises(StatusError, match='namespaces "nix" not found'):
        await AdmissionChain(context(reader)).admit(write(namespace="nix"))


async def test_policies_come_before_validating_webhooks() -> None:
    """What a policy refuses, nobody is called about; mutation does not hear of policies."""
    reader = store()
    spec = {"matchConstraints": {"resourceRules": [RULE]}, "validations": [{"expression": "false"}]}
    reader.put(POLICIES, {"metadata": {"name": "p"}, "spec": spec})
    bound = {"policyName": "p", "validationActions": ["Deny"]}
    reader.put(BINDINGS, {"metadata": {"name": "b"}, "spec": bound})
    hook = {"name": "h", "rules": [RULE], "sideEffects": "None", "clientConfig": {"url": "x"}}
    reader.put(VALIDATING, {"metadata": {"name": "c"}, "webhooks": [hook]})
    admission = AdmissionChain(context(reader))

    await admission.admit(write())

    with pytest.raises(StatusError, match="ValidatingAdmissionPolicy 'p' with binding 'b' denied"):
        await admission.validate(write())

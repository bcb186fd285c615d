import pytest

from kubewright.apiserver.admission.chain import Admission
from kubewright.apiserver.admission.configuration import MUTATING
from kubewright.apiserver.admission.plugins.validatingadmissionpolicy import BINDINGS, POLICIES
from kubewright.apiserver.admission.webhook_client import WebhookClient
from kubewright.apiserver.meta.status import StatusError
from tests.unit.apiserver.admission.writes import PlainObjects, store, write


def no_client() -> WebhookClient:
    raise AssertionError("nobody is to be called")


async def test_without_webhooks_nothing_is_made_to_call_them() -> None:
    """TLS is not even loaded for most servers."""
    admission = Admission(store(), PlainObjects(), no_client)
    attributes = write()

    await admission.mutate(attributes)
    await admission.validate(attributes)


async def test_the_namespace_is_checked_before_webhooks_are_asked() -> None:
    """They would be shown what cannot be."""
    reader = store()
    reader.put(MUTATING, {"metadata": {"name": "c"}, "webhooks": [{"name": "h"}]})

    with pytest.raises(StatusError, match='namespaces "nix" not found'):
        await Admission(reader, PlainObjects(), no_client).mutate(write(namespace="nix"))


async def test_policies_are_asked_about_the_final_object() -> None:
    """Mutation does not hear of them."""
    reader = store()
    rule = {"operations": ["*"], "apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*"]}
    spec = {"matchConstraints": {"resourceRules": [rule]}, "validations": [{"expression": "false"}]}
    bound = {"policyName": "p", "validationActions": ["Deny"]}
    reader.put(POLICIES, {"metadata": {"name": "p"}, "spec": spec})
    reader.put(BINDINGS, {"metadata": {"name": "b"}, "spec": bound})
    admission = Admission(reader, PlainObjects(), no_client)

    await admission.mutate(write())

    with pytest.raises(StatusError, match="ValidatingAdmissionPolicy 'p' with binding 'b' denied"):
        await admission.validate(write())

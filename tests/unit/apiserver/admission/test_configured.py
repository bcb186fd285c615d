"""Webhooks and policies together."""

import pytest

from kubewright.apiserver.admission.configuration import VALIDATING
from kubewright.apiserver.admission.configured import ConfiguredAdmission
from kubewright.apiserver.admission.plugins.validatingadmissionpolicy import BINDINGS, POLICIES
from kubewright.apiserver.admission.webhook_client import WebhookClient
from kubewright.apiserver.authorization.attributes import AlwaysAllow
from kubewright.apiserver.meta.status import StatusError
from tests.unit.apiserver.admission.writes import PlainObjects, store, write

RULE = {"operations": ["*"], "apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*"]}


def no_client() -> WebhookClient:
    raise AssertionError("nobody is to be called")


async def test_policies_come_before_validating_webhooks() -> None:
    """What a policy refuses, nobody is called about."""
    reader = store()
    spec = {"matchConstraints": {"resourceRules": [RULE]}, "validations": [{"expression": "false"}]}
    reader.put(POLICIES, {"metadata": {"name": "p"}, "spec": spec})
    bound = {"policyName": "p", "validationActions": ["Deny"]}
    reader.put(BINDINGS, {"metadata": {"name": "b"}, "spec": bound})
    hook = {"name": "h", "rules": [RULE], "sideEffects": "None", "clientConfig": {"url": "x"}}
    reader.put(VALIDATING, {"metadata": {"name": "c"}, "webhooks": [hook]})
    admission = ConfiguredAdmission(reader, PlainObjects(), no_client, authorizer=AlwaysAllow())

    await admission.mutate(write())

    with pytest.raises(StatusError, match="ValidatingAdmissionPolicy 'p' with binding 'b' denied"):
        await admission.validate(write())

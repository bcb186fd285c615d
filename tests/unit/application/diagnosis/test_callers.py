import base64

from kubewright.application.diagnosis.callers import Caller, callers_in, conversion_in, list_callers
from kubewright.testing import EmbeddedServer
from tests.unit.application.diagnosis.ward import loaded

CONFIGURATION = f"""
kind: ValidatingWebhookConfiguration
metadata: {{name: shop, annotations: {{cert-manager.io/inject-ca-from: a/b}}}}
webhooks:
- name: a.example.com
  failurePolicy: Ignore
  clientConfig:
    service: {{name: shop, namespace: shops, path: /a}}
    caBundle: {base64.b64encode(b"pem").decode()}
  rules: [{{apiGroups: [example.com], operations: [CREATE, UPDATE], resources: [shops]}}]
- name: b.example.com
  clientConfig: {{url: "https://10.0.0.1:9443/b", caBundle: "%"}}
  rules: [{{apiGroups: [""], operations: ["*"], resources: ["*"]}}]
"""


def test_the_entries_of_a_configuration_are_read() -> None:
    """With the defaults of the server where it leaves them out."""
    one, other = callers_in(loaded(CONFIGURATION))

    assert one.subject == "validatingwebhookconfiguration/shop"
    assert one.pointer == "/webhooks/0/clientConfig"
    assert (one.service, one.namespace, one.port) == ("shop", "shops", 443)
    assert (one.bundle, one.blocks, one.injected) == (b"pem", False, True)
    assert one.target == "Service shop in namespace shops"
    assert (other.target, other.bundle, other.blocks) == ("https://10.0.0.1:9443/b", b"", True)


def test_what_happens_while_it_is_silent_is_told() -> None:
    """That is what users complain about."""
    one, other = callers_in(loaded(CONFIGURATION))

    assert one.effect == (
        "Each create and update of shops.example.com goes unchecked (failurePolicy: Ignore)."
    )
    assert other.effect.startswith("Every everything of everything is refused")


def test_the_conversion_of_a_crd_always_blocks() -> None:
    """There is no failure policy for it."""
    crd = loaded(
        """
        metadata: {name: shops.example.com}
        spec:
          conversion:
            strategy: Webhook
            webhook: {clientConfig: {service: {name: shop, namespace: shops, port: 8443}}}
        """
    )

    (found,) = conversion_in(crd)

    assert (found.blocks, found.is_conversion, found.port) == (True, True, 8443)
    assert found.title == "The conversion"
    assert "cannot be read or written in another version" in found.effect
    assert list(conversion_in({"metadata": {}, "spec": {}})) == []


async def test_an_empty_cluster_has_none() -> None:
    """And asking for those of one CRD does not need it to be there."""
    async with EmbeddedServer() as server, server.client() as client:
        everything = [one async for one in list_callers(client, crds=None)]
        some: list[Caller] = [one async for one in list_callers(client, crds=["a.example.com"])]

    assert everything == some == []

"""Objects of another kind that are posted to a subresource."""

import pytest

from kubewright.client import Client, Config
from kubewright.kinds.authentication.v1 import TokenRequest, TokenRequestSpec
from kubewright.kinds.core.v1 import Binding, ObjectReference, Pod, ServiceAccount
from tests.unit.client.scripted import ScriptedTransport, answer

CONFIG = Config(server="https://example.com", namespace="home")


async def test_the_answer_is_of_the_kind_that_was_posted() -> None:
    """A TokenRequest comes back with the token in it."""
    made = {"kind": "TokenRequest", "metadata": {}, "spec": {}, "status": {"token": "t"}}
    transport = ScriptedTransport(answer(made, 201))
    client = Client(CONFIG, transport=transport)

    token = await client.subresource("token").post(
        ServiceAccount, "robot", TokenRequest(spec=TokenRequestSpec(expiration_seconds=600))
    )

    assert token.status.token == "t"
    assert transport.requests[0].target == ("/api/v1/namespaces/home/serviceaccounts/robot/token")
    assert transport.bodies[0]["spec"] == {"expirationSeconds": 600}


async def test_an_answer_that_says_only_success_returns_what_was_posted() -> None:
    """A Binding is answered by a Status."""
    transport = ScriptedTransport(answer({"kind": "Status", "status": "Success"}, 201))
    client = Client(CONFIG, transport=transport)
    binding = Binding(target=ObjectReference(kind="Node", name="n1"))

    assert await client.subresource("binding").post(Pod, "web", binding) is binding


async def test_the_object_must_be_named() -> None:
    """Without a name the path would be the collection's."""
    client = Client(CONFIG, transport=ScriptedTransport())

    with pytest.raises(ValueError, match="The name is empty"):
        await client.subresource("token").post(ServiceAccount, "", TokenRequest())

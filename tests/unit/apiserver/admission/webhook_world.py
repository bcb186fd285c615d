"""Webhooks that are served, and the chain that calls them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from kubewright.apiserver.admission.attributes import Attributes
from kubewright.apiserver.admission.chain import AdmissionChain
from kubewright.apiserver.admission.configuration import MUTATING, VALIDATING
from kubewright.apiserver.admission.webhook_client import ClusterIPResolver, WebhookClient
from kubewright.apiserver.meta.status import StatusError
from tests.unit.apiserver.admission.webhook_server import Behaviour, WebhookServer, webhook_server
from tests.unit.apiserver.admission.writes import context, store, write

RULE = {"operations": ["*"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"]}
FAILED = 'Internal error occurred: failed calling webhook "h": '


class World:
    """A server of webhooks, and the admission that calls them."""

    def __init__(self, server: WebhookServer) -> None:
        self.server = server
        self.reader = store()
        self.client = WebhookClient(ClusterIPResolver(self.reader))
        self.admission = AdmissionChain(context(self.reader, client=lambda: self.client))

    def add(self, behaviour: Behaviour, name: str = "h", **parts: Any) -> None:
        """Register a webhook, validating unless ``mutating`` says otherwise."""
        resource = MUTATING if parts.pop("mutating", False) else VALIDATING
        hook = {
            "name": name,
            "clientConfig": self.server.serve(name, behaviour),
            "rules": [RULE],
            "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
            **parts,
        }
        self.reader.put(resource, {"metadata": {"name": name}, "webhooks": [hook]})

    async def admit(self, **parts: Any) -> Attributes:
        attributes = write(**parts)
        await self.admission.admit(attributes)
        await self.admission.validate(attributes)
        return attributes

    async def refusal(self, **parts: Any) -> StatusError:
        with pytest.raises(StatusError) as caught:
            await self.admit(**parts)
        return caught.value


def deny(**status: Any) -> Behaviour:
    return lambda request: {"allowed": False, "status": status}


@asynccontextmanager
async def running_world() -> AsyncIterator[World]:
    """Serve webhooks while the block runs."""
    async with webhook_server() as server:
        found = World(server)
        yield found
        await found.client.close()

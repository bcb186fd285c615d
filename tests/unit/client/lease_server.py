"""A server with one Lease on it, at the transport seam: versions, 404 and 409 as a real one has."""

import json
from typing import Any

from kubewright.api.requests import Request
from kubewright.client.transport import Response
from kubewright.errors import TransportError
from tests.unit.client.scripted import ScriptedTransport, answer, failure

REFUSED = TransportError("no answer")
PATH = "/apis/coordination.k8s.io/v1/namespaces/home/leases"


class LeaseServer(ScriptedTransport):
    """Keeps the Lease ``home/lock`` and answers as a kube-apiserver does."""

    def __init__(self) -> None:
        super().__init__()
        self.lease: dict[str, Any] | None = None
        self.unreached: set[str] = set()
        """The methods of requests that do not arrive."""
        self.unanswered: set[str] = set()
        """The methods of requests that are carried out, but whose answer does not arrive."""
        self._version = 0

    @property
    def spec(self) -> dict[str, Any]:
        """What the Lease says, as JSON."""
        assert self.lease is not None
        spec: dict[str, Any] = self.lease["spec"]
        return spec

    async def send(self, request: Request, *, timeout: float | None = None) -> Response:
        """Carry out *request* unless the network is broken."""
        self.requests.append(request)
        if request.method in self.unreached:
            raise REFUSED
        response = self.carry_out(request)
        if request.method in self.unanswered:
            raise REFUSED
        return response

    def carry_out(self, request: Request) -> Response:
        """Return the answer to *request*."""
        path = request.target.partition("?")[0]
        assert path == (PATH if request.method == "POST" else f"{PATH}/lock")
        if request.method == "POST":
            if self.lease is not None:
                return failure(409, "AlreadyExists")
            return answer(self._stored(json.loads(request.body)), 201)
        if self.lease is None:
            return failure(404, "NotFound")
        if request.method == "GET":
            return answer(self.lease)
        assert request.method == "PUT"
        body = json.loads(request.body)
        if body["metadata"]["resourceVersion"] != self.lease["metadata"]["resourceVersion"]:
            return failure(409, "Conflict")
        return answer(self._stored(body))

    def edit(self, **spec: Any) -> None:
        """Change the Lease as another client would."""
        assert self.lease is not None
        self._stored({**self.lease, "spec": {**self.spec, **spec}})

    def label(self, name: str) -> None:
        """Label the Lease as another client would."""
        assert self.lease is not None
        metadata = {**self.lease["metadata"], "labels": {name: "y"}}
        self._stored({**self.lease, "metadata": metadata})

    def _stored(self, lease: dict[str, Any]) -> dict[str, Any]:
        before = self.lease or {}
        if lease == before:
            return before  # a write that changes nothing is none
        self._version += 1
        metadata = {**lease["metadata"], "resourceVersion": str(self._version)}
        self.lease = {**lease, "metadata": metadata}
        return self.lease

"""What the front answers by itself, in the words of Kubernetes."""

import msgspec

from kubewright._serve.messages import Response
from kubewright._serve.refusals import Refusals
from kubewright.apiserver.meta import status
from kubewright.apiserver.meta.status import StatusError


def response_of(error: StatusError) -> Response:
    """Return the answer that tells a client of *error*."""
    return Response(error.code, msgspec.json.encode(error.status))


class StatusRefusals(Refusals):
    """Each is a ``Status``; only what cannot be read at all is answered in plain text."""

    def too_large(self, limit: int) -> Response:
        """The body is above *limit*."""
        return response_of(status.too_large(limit))

    def too_many_connections(self) -> Response:
        """The server has as many clients as it takes; Go's client comes again if told when."""
        refusal = response_of(status.service_unavailable("too many connections, try again later"))
        refusal.headers = (("Retry-After", "1"),)
        return refusal

    def failed(self, error: Exception) -> Response:
        """The handler broke; the client learns the kind of error, the log learns the rest."""
        return response_of(status.internal_error(type(error).__name__))

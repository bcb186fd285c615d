"""Answers that the server gives by itself, without the handler."""

from kubewright._serve.messages import Response

TEXT: str = "text/plain; charset=utf-8"


class Refusals:
    """Refuses in plain text; a subclass uses the format that its clients understand."""

    def too_large(self, limit: int) -> Response:
        """Return the answer to a body above *limit*."""
        return self.malformed(413, f"Request Entity Too Large: limit is {limit}")

    def too_many_connections(self) -> Response:
        """Return the answer to a client beyond the limit of connections."""
        refusal = self.malformed(503, "Service Unavailable: too many connections")
        refusal.headers = (("Retry-After", "1"),)
        return refusal

    def too_much_at_once(self) -> Response:
        """Return the answer when all clients together have sent more than the server holds."""
        refusal = self.malformed(429, "Too Many Requests: too much is being sent at once")
        refusal.headers = (("Retry-After", "1"),)
        return refusal

    def failed(self, error: Exception) -> Response:
        """Return the answer when the handler raised *error*; only its type reaches the client."""
        return self.malformed(500, f"Internal Server Error: {type(error).__name__}")

    def malformed(self, code: int = 400, what: str = "Bad Request") -> Response:
        """Return the answer to a request that cannot be parsed, always in plain text."""
        return Response(code, f"{code} {what}".encode(), TEXT)

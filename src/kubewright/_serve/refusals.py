"""What the server answers by itself, without asking the handler."""

from kubewright._serve.messages import Response

TEXT: str = "text/plain; charset=utf-8"


class Refusals:
    """Answers in plain text; a subclass says them in the words that its clients understand."""

    def too_large(self, limit: int) -> Response:
        """The body is above *limit*."""
        return self.malformed(413, f"Request Entity Too Large: limit is {limit}")

    def too_many_connections(self) -> Response:
        """The server has as many clients as it takes."""
        refusal = self.malformed(503, "Service Unavailable: too many connections")
        refusal.headers = (("Retry-After", "1"),)
        return refusal

    def too_much_at_once(self) -> Response:
        """All clients together have sent more than the server holds."""
        refusal = self.malformed(429, "Too Many Requests: too much is being sent at once")
        refusal.headers = (("Retry-After", "1"),)
        return refusal

    def failed(self, error: Exception) -> Response:
        """The handler broke; the client learns the kind of error, the log learns the rest."""
        return self.malformed(500, f"Internal Server Error: {type(error).__name__}")

    def malformed(self, code: int = 400, what: str = "Bad Request") -> Response:
        """The request cannot be read, so nothing is known of who sent it: in plain text."""
        return Response(code, f"{code} {what}".encode(), TEXT)

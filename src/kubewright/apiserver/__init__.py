"""A Kubernetes API server in Python: in process, and behind HTTP(S).

It behaves like Kubernetes 1.37 for what operators and their tests do, with nothing to install.
It is for development and tests on one machine.
"""

from typing import TYPE_CHECKING

from kubewright._lazy import lazy_names
from kubewright.apiserver.wire.request import Answer, Request, Response, Stream, Upgrade

if TYPE_CHECKING:
    from kubewright.apiserver.authentication.user import UserInfo
    from kubewright.apiserver.server import APIServer
    from kubewright.apiserver.webhook.options import AuthenticationWebhook, AuthorizationWebhook

__all__ = [
    "APIServer",
    "Answer",
    "AuthenticationWebhook",
    "AuthorizationWebhook",
    "Request",
    "Response",
    "Stream",
    "Upgrade",
    "UserInfo",
]

# Loaded when first used, since its parts import this package, too. Hidden from type checkers, which
# know the names from above.
if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "APIServer": "server",
            "AuthenticationWebhook": "webhook.options",
            "AuthorizationWebhook": "webhook.options",
            "UserInfo": "authentication.user",
        },
    )

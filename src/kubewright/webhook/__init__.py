"""Webhooks that API servers call: admission, conversion, authentication and authorization.

`kubewright.Operator` has decorators for them; here is what they are made of, and the server.
"""

from typing import TYPE_CHECKING

from kubewright._lazy import lazy_names

if TYPE_CHECKING:
    from kubewright.webhook.admission import AdmissionOptions
    from kubewright.webhook.context import AdmissionContext
    from kubewright.webhook.conversion.conversion import Conversion
    from kubewright.webhook.review import AdmissionRequest, AdmissionResponse, User
    from kubewright.webhook.routes import Routes
    from kubewright.webhook.server import WebhookServer
    from kubewright.webhook.serving import WebhookServing
    from kubewright.webhook.token_reviews import (
        AccessReview,
        Decision,
        PathAccess,
        ResourceAccess,
        TokenRequest,
    )
    from kubewright.webhook.webhooks import Webhooks

__all__ = [
    "AccessReview",
    "AdmissionContext",
    "AdmissionOptions",
    "AdmissionRequest",
    "AdmissionResponse",
    "Conversion",
    "Decision",
    "PathAccess",
    "ResourceAccess",
    "Routes",
    "TokenRequest",
    "User",
    "WebhookServer",
    "WebhookServing",
    "Webhooks",
]

_WHERE = {
    "AccessReview": "token_reviews",
    "AdmissionContext": "context",
    "AdmissionOptions": "admission",
    "AdmissionRequest": "review",
    "AdmissionResponse": "review",
    "Conversion": "conversion.conversion",
    "Decision": "token_reviews",
    "PathAccess": "token_reviews",
    "ResourceAccess": "token_reviews",
    "Routes": "routes",
    "TokenRequest": "token_reviews",
    "User": "review",
    "WebhookServer": "server",
    "WebhookServing": "serving",
    "Webhooks": "webhooks",
}

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(__name__, _WHERE)

"""Tokens of service accounts, for the volumes that want one."""

from kubewright.client import Client
from kubewright.embedded.node.volumes.volumes import token_sources
from kubewright.errors import APIError
from kubewright.kinds.authentication.v1 import (
    BoundObjectReference,
    TokenRequest,
    TokenRequestSpec,
)
from kubewright.kinds.core.v1 import Pod, ServiceAccount
from kubewright.log import get_logger

__all__ = ["find_tokens"]

SECONDS: int = 3607

_log = get_logger(__name__)


async def find_tokens(client: Client, pod: Pod) -> dict[str, str]:
    """Return a token for each projection of *pod* that wants one, by its path."""
    result: dict[str, str] = {}
    name, metadata = pod.spec.service_account_name or "default", pod.metadata
    for source in token_sources(pod):
        wanted = source.service_account_token
        assert wanted is not None
        bound = BoundObjectReference(
            api_version="v1", kind="Pod", name=metadata.name, uid=metadata.uid
        )
        spec = TokenRequestSpec(
            audiences=[wanted.audience] if wanted.audience else [],
            expiration_seconds=wanted.expiration_seconds or SECONDS,
            bound_object_ref=bound,
        )
        try:
            made = await client.subresource("token").post(
                ServiceAccount, name, TokenRequest(spec=spec), namespace=metadata.namespace
            )
        except APIError as error:
            # A server without tokens is still good for pods that do not talk to it.
            _log.warning("no token for a pod", key=str(pod.key), error=str(error))
            continue
        result[wanted.path] = made.status.token or ""
    return result

"""The Service proxy: forwards from cluster addresses on loopback to endpoints."""

from kubewright.embedded.proxy.resolver import EndpointResolver
from kubewright.embedded.proxy.service_proxy import ServiceProxy

__all__ = ["EndpointResolver", "ServiceProxy"]

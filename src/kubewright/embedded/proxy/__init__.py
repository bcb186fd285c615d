"""The Service proxy: cluster addresses on loopback lead to the endpoints behind them."""

from kubewright.embedded.proxy.resolver import EndpointResolver
from kubewright.embedded.proxy.service_proxy import ServiceProxy

__all__ = ["EndpointResolver", "ServiceProxy"]

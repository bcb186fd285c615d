"""What charts may ask of the cluster, and how helm reaches it."""

import base64
import math
from typing import TYPE_CHECKING, Any

import msgspec

from kubewright.helm.chart import Chart
from kubewright.helm.renderer import Capabilities

if TYPE_CHECKING:
    from kubewright._aio import Clock
    from kubewright.client import Client, Config
    from kubewright.client.discovery import DiscoveryClient

__all__ = ["Facts"]

_LASTS = 60.0
"""Seconds for which an answer is good: a CRD may be installed at any time."""


class _Known(msgspec.Struct, frozen=True):
    version: str
    served: frozenset[str]
    until: float


class Facts:
    """What one cluster is able to do, as far as charts ask.

    Args:
        client: The cluster.
        clock: Where time comes from.
    """

    def __init__(self, client: "Client", clock: "Clock") -> None:
        self._client = client
        self._clock = clock
        self._known: _Known | None = None

    def forget(self) -> None:
        """Ask the cluster again, which serves more now."""
        self._known = None

    async def of(self, chart: Chart) -> Capabilities:
        """Return what the cluster answers to the questions of *chart*.

        Only what it asks for is in it, if it says so: a CRD that no template has heard of is no
        reason to render a chart again.
        """
        known = self._known
        if known is None or self._clock.monotonic() > known.until:
            known = self._known = await self._ask(chart)
        if not chart.asks_apis:
            return Capabilities(known.version)
        if chart.asks_any_api:
            return Capabilities(known.version, tuple(sorted(known.served)))
        asked = known.served.intersection(chart.asked_apis)
        return Capabilities(known.version, tuple(sorted(asked)))

    def kubeconfig(self) -> dict[str, Any]:
        """Return the kubeconfig with which helm reaches the cluster as we do."""
        return _kubeconfig(self._client.config)

    async def _ask(self, chart: Chart) -> _Known:
        from kubewright.client.discovery import DiscoveryClient

        # Not what the client remembers: that is asked anew only when a kind is missing.
        discovery = DiscoveryClient(self._client.rest)
        version = (await discovery.server_version()).git_version
        served = await _served(discovery) if chart.asks_apis else set()
        lasts = _LASTS if chart.asks_apis or chart.asks_version else math.inf
        return _Known(version, frozenset(served), self._clock.monotonic() + lasts)


async def _served(discovery: "DiscoveryClient") -> set[str]:
    discovered = await discovery.discover()
    found = {str(version) for version in discovered.group_versions()}
    for version, resources in discovered.resources.items():
        found |= {f"{version}/{one.kind}" for one in resources if one.kind}
    return found


def _kubeconfig(config: "Config") -> dict[str, Any]:
    tls = config.tls
    cluster: dict[str, Any] = {
        "server": config.url,
        "certificate-authority": tls.ca_file,
        "certificate-authority-data": _text(tls.ca_data),
        "insecure-skip-tls-verify": tls.insecure or None,
        "tls-server-name": tls.server_name,
        "proxy-url": config.proxy_url,
    }
    user: dict[str, Any] = {
        "token": config.token,
        "tokenFile": config.token_file,
        "username": config.username,
        "password": config.password,
        "client-certificate": tls.cert_file,
        "client-certificate-data": _text(tls.cert_data),
        "client-key": tls.key_file,
        "client-key-data": _text(tls.key_data),
    }
    if config.impersonate is not None:
        user["as"] = config.impersonate.user
        user["as-groups"] = list(config.impersonate.groups)
    if config.exec is not None:
        user["exec"] = {
            "command": config.exec.command,
            "args": list(config.exec.args),
            "env": [{"name": name, "value": value} for name, value in config.exec.env],
            "apiVersion": config.exec.api_version,
            "interactiveMode": "Never",
            "provideClusterInfo": config.exec.provide_cluster_info,
        }
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "here", "cluster": _given(cluster)}],
        "users": [{"name": "us", "user": _given(user)}],
        "contexts": [{"name": "here", "context": {"cluster": "here", "user": "us"}}],
        "current-context": "here",
    }


def _given(entry: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in entry.items() if value}


def _text(data: bytes | None) -> str | None:
    return None if data is None else base64.b64encode(data).decode()

"""What charts may ask of the cluster, and how helm reaches it."""

import base64
from typing import TYPE_CHECKING, Any

from kubewright.helm.chart import Chart
from kubewright.helm.renderer import Capabilities

if TYPE_CHECKING:
    from kubewright.client import Client, Config

__all__ = ["Facts"]


class Facts:
    """What one cluster is able to do, as far as charts ask.

    Args:
        client: The cluster.
    """

    def __init__(self, client: "Client") -> None:
        self._client = client
        self._version = ""

    async def of(self, chart: Chart) -> Capabilities:
        """Return what the cluster answers to the questions of *chart*.

        Only what it asks for is in it: a CRD that no template has heard of is no reason to render
        a chart again.
        """
        if not self._version:
            from kubewright.client.discovery import DiscoveryClient

            found = await DiscoveryClient(self._client.rest).server_version()
            self._version = found.git_version
        if not chart.asked_apis:
            return Capabilities(self._version)
        served = await self._served()
        return Capabilities(self._version, tuple(sorted(served.intersection(chart.asked_apis))))

    def kubeconfig(self) -> dict[str, Any]:
        """Return the kubeconfig with which helm reaches the cluster as we do."""
        return _kubeconfig(self._client.config)

    async def _served(self) -> set[str]:
        discovered = await self._client.discovery.discover()
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

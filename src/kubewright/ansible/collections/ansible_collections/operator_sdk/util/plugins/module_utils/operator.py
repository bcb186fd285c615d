"""The way to the API server for modules: the proxy that the kubeconfig file of a run names."""

from __future__ import annotations

import json
import os
import ssl
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping
from typing import Any

KUBECONFIGS: tuple[str, ...] = ("K8S_AUTH_KUBECONFIG", "KUBECONFIG")

# What modules of kubernetes.core take, too; here the operator has decided all of it.
CONNECTION: dict[str, dict[str, Any]] = {
    name: {"type": "raw"}
    for name in (
        "kubeconfig", "context", "host", "username", "impersonate_user", "impersonate_groups",
        "validate_certs", "ca_cert", "client_cert", "proxy", "proxy_headers", "no_proxy",
        "persist_config",
    )
}  # fmt: skip
CONNECTION.update(
    {name: {"type": "raw", "no_log": True} for name in ("api_key", "password", "client_key")}
)


class APIError(Exception):
    """The API server has refused."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code: int = code


class API:
    """Requests to the API server, with the rights of the operator."""

    def __init__(self, environ: Mapping[str, str] = os.environ) -> None:
        path = next((environ[name] for name in KUBECONFIGS if environ.get(name)), None)
        if path is None:
            raise APIError(0, f"no kubeconfig is named by {' or '.join(KUBECONFIGS)}")
        with open(path, encoding="utf-8") as file:
            found = json.load(file)  # as the operator has written it
        self._url = found["clusters"][0]["cluster"]["server"]
        self._token = found["users"][0]["user"]["token"]
        authority = found["clusters"][0]["cluster"]["certificate-authority"]
        self._context = ssl.create_default_context(cafile=authority)

    def send(
        self, method: str, path: str, body: Any = None, content_type: str = "application/json"
    ) -> Any:
        """Send a request and return the answer."""
        request = urllib.request.Request(
            self._url + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self._token}", "Content-Type": content_type},
        )
        try:
            with urllib.request.urlopen(request, context=self._context) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            raise APIError(error.code, _message(error)) from error
        except urllib.error.URLError as error:
            raise APIError(0, f"the operator cannot be reached: {error.reason}") from error

    def find(self, path: str) -> Any:
        """Return the object at *path*; ``None`` if there is none."""
        try:
            return self.send("GET", path)
        except APIError as error:
            if error.code == 404:
                return None
            raise

    def path(self, api_version: str, kind: str, name: str = "", namespace: str = "") -> str:
        """Return the path of an object, or of the collection of a kind."""
        root = f"/api/{api_version}" if "/" not in api_version else f"/apis/{api_version}"
        for one in self.send("GET", root)["resources"]:
            if one["kind"] == kind and "/" not in one["name"]:
                if one["namespaced"]:
                    root += f"/namespaces/{urllib.parse.quote(namespace)}"
                return f"{root}/{one['name']}" + (f"/{urllib.parse.quote(name)}" if name else "")
        raise APIError(404, f"there is no kind {kind} in {api_version}")


def _message(error: Any) -> str:
    try:
        return json.load(error)["message"]
    except (ValueError, KeyError, TypeError):
        return f"{error.code} {error.reason}"

"""The CronJob sample deployed in an embedded cluster, with everything that it has in production."""

import asyncio
import base64
import json
import os
import ssl
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import kubewright as kw
from kubewright._pki.authority import Authority, Period
from kubewright.application import Application
from kubewright.crd import roles, to_yaml
from kubewright.kinds.coordination.v1 import Lease
from kubewright.kinds.core.v1 import Endpoints, Pod
from kubewright.testing import EmbeddedCluster
from kubewright.webhook import WebhookServing

NAME = "cronjob"
NAMESPACE = "cronjob-system"
MANAGER = "cronjob-controller-manager"
SERVICE = "cronjob-webhook-service"
SECRET = "webhook-server-cert"  # the name of one
CRD = "cronjobs.batch.tutorial.kubebuilder.io"
FILE = Path(__file__).parents[2] / "examples" / "cronjob" / "cronjob.py"
SERVING = WebhookServing(service=SERVICE, namespace=NAMESPACE)
LABELS = {"control-plane": "controller-manager"}
CERTIFICATES = "/tmp/k8s-webhook-server/serving-certs"  # a path in the pod
PATIENCE = 60.0
_END = "-----END CERTIFICATE-----\n"


class Deployed:
    """An operator that is deployed, and kubectl to damage it.

    Args:
        cluster: Where.
        operator: The operator.
        home: A folder for the cache of kubectl.
    """

    def __init__(self, cluster: EmbeddedCluster, operator: Application, home: Path) -> None:
        self.kubeconfig = cluster.kubeconfig_file
        self._operator = operator
        self._authority = Authority("webhooks")
        self._environment = {
            **os.environ,
            "KUBECONFIG": str(self.kubeconfig),
            "HOME": str(home),
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        }

    def kubectl(self, *words: str, stdin: str = "") -> str:
        """Run kubectl, which must succeed; return what it prints."""
        return self._run(["kubectl", *words], stdin)

    def shell(self, text: str) -> str:
        """Run a command of a report as a user does who pastes it."""
        return self._run(["bash", "-c", text], "")

    def _run(self, command: list[str], stdin: str) -> str:
        done = subprocess.run(
            command,
            input=stdin,
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        return done.stdout

    def deploy(self) -> None:
        """Apply all manifests, and wait until the operator is available."""
        self.kubectl(
            "apply", "--server-side", "--force-conflicts", "-f", "-", stdin=self.manifests()
        )
        self.settle()

    def settle(self, *, leads: bool = True) -> None:
        """Wait until the operator is available, leads, and is reached."""
        self.kubectl("rollout", "status", f"deployment/{MANAGER}", "-n", NAMESPACE, "--timeout=50s")
        asyncio.run(self._until_ready(leads=leads))

    async def _until_ready(self, *, leads: bool) -> None:
        async with kw.Client(kw.Config.load(self.kubeconfig), on_warning=_ignore) as client:
            where: dict[str, Any] = {"namespace": NAMESPACE, "timeout": 30}
            await kw.wait_for(client, Endpoints, SERVICE, _has_addresses, **where)
            if leads:
                pods = await client.list(Pod, namespace=NAMESPACE)
                there = tuple(
                    one.metadata.name for one in pods if one.metadata.deletion_timestamp is None
                )
                await kw.wait_for(client, Lease, NAME, _is_held_by(there), **where)

    def manifests(self) -> str:
        """Return everything, as YAML."""
        bundle = base64.b64encode(self._authority.certificate).decode()
        rules = self._operator.rules(leader_election=NAMESPACE)
        documents: list[dict[str, Any]] = [
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}},
            *self.crds(),
            _object("v1", "ServiceAccount", MANAGER),
            *[one for role in roles(MANAGER, rules) for one in (role, _binding(role))],
            self.secret(),
            self._operator.webhooks.service(SERVING, selector=LABELS),
            *self._operator.webhooks.configurations(SERVING, ca_bundle=bundle),
            _deployment(),
        ]
        return to_yaml(*documents)

    def crds(self) -> list[dict[str, Any]]:
        """Return the CRDs."""
        found = self._operator.crds(serve_webhooks=SERVING)
        for one in found:
            where = one["spec"]["conversion"]["webhook"]["clientConfig"]
            where["caBundle"] = base64.b64encode(self._authority.certificate).decode()
        return found

    def secret(self, *hosts: str, period: Period | None = None) -> dict[str, Any]:
        """Return the Secret with the certificate of the webhooks."""
        names = hosts or SERVING.named(NAME, NAMESPACE).hosts
        pair = self._authority.serving(*names, period=period)
        parts = {
            "tls.crt": pair.certificate,
            "tls.key": pair.key,
            "ca.crt": self._authority.certificate,
        }
        data = {name: base64.b64encode(value).decode() for name, value in parts.items()}
        return {**_object("v1", "Secret", SECRET), "type": "kubernetes.io/tls", "data": data}

    def show(self, *hosts: str, period: Period | None = None) -> None:
        """Give the operator another certificate, and wait until its pods show it."""
        secret = self.secret(*hosts, period=period)
        self.apply(secret)
        wanted = base64.b64decode(secret["data"]["tls.crt"]).decode()
        asyncio.run(
            self._until_shown(ssl.PEM_cert_to_DER_cert(wanted[: wanted.index(_END)] + _END))
        )

    async def _until_shown(self, wanted: bytes) -> None:
        async with kw.Client(kw.Config.load(self.kubeconfig), on_warning=_ignore) as client:
            pods = await client.list(Pod, namespace=NAMESPACE)
        hosts = [one.status.pod_ip for one in pods if one.metadata.deletion_timestamp is None]
        async with asyncio.timeout(PATIENCE):
            for host in hosts:
                # The operator looks at its files from time to time.
                while await asyncio.to_thread(_shown, str(host)) != wanted:  # noqa: ASYNC110
                    await asyncio.sleep(0.1)

    def apply(self, *documents: dict[str, Any]) -> None:
        """Apply some manifests, whoever owns the fields."""
        words = ("apply", "--server-side", "--force-conflicts", "-f", "-")
        self.kubectl(*words, stdin=to_yaml(*documents))

    def get(self, *words: str) -> dict[str, Any]:
        """Return an object."""
        found: dict[str, Any] = json.loads(self.kubectl("get", *words, "--output", "json"))
        return found


def _shown(host: str) -> bytes:
    """Return the certificate that is shown at the port of webhooks."""
    return ssl.PEM_cert_to_DER_cert(ssl.get_server_certificate((host, 9443), timeout=PATIENCE))


def _ignore(_: str) -> None:
    """Pass over what the server says of old kinds."""


def _has_addresses(found: Endpoints | None) -> bool:
    return found is not None and any(one.addresses for one in found.subsets)


def _is_held_by(pods: tuple[str, ...]) -> Callable[[Lease | None], bool]:
    """Return what tells that one of *pods* leads, and not one that is about to go."""
    return lambda found: found is not None and (found.spec.holder_identity or "").startswith(pods)


def _object(api_version: str, kind: str, name: str) -> dict[str, Any]:
    meta = {"name": name, "namespace": NAMESPACE}
    return {"apiVersion": api_version, "kind": kind, "metadata": meta}


def _binding(role: dict[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": role["apiVersion"],
        "kind": f"{role['kind']}Binding",
        "metadata": role["metadata"],
        "roleRef": {
            "apiGroup": "rbac.authorization.k8s.io",
            "kind": role["kind"],
            "name": role["metadata"]["name"],
        },
        "subjects": [{"kind": "ServiceAccount", "name": MANAGER, "namespace": NAMESPACE}],
    }


def _deployment() -> dict[str, Any]:
    probe = {"httpGet": {"path": "/readyz", "port": 8081}, "periodSeconds": 1}
    container = {
        "name": "manager",
        "image": "cronjob",
        "command": [sys.executable, "-m", "kubewright", "run", str(FILE)],
        "args": [
            "--leader-elect",
            "--health-probe-bind-address=$(POD_IP):8081",
            "--webhook-host=$(POD_IP)",
            f"--webhook-cert-path={CERTIFICATES}",
        ],
        "env": [{"name": "POD_IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}],
        "readinessProbe": probe,
        "volumeMounts": [{"name": "cert", "mountPath": CERTIFICATES, "readOnly": True}],
    }
    pod = {
        "serviceAccountName": MANAGER,
        "containers": [container],
        "volumes": [{"name": "cert", "secret": {"secretName": SECRET}}],
        "terminationGracePeriodSeconds": 5,
    }
    spec = {
        "replicas": 1,
        "selector": {"matchLabels": LABELS},
        "template": {"metadata": {"labels": LABELS}, "spec": pod},
    }
    return {**_object("apps/v1", "Deployment", MANAGER), "spec": spec}

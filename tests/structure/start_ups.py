"""Which modules are loaded after each way to start: what late imports are measured by."""

import json
import os
import subprocess
import sys
from functools import cache

REPORT = """
import json as _json, sys as _sys
print("@@" + _json.dumps(sorted(_sys.modules)))
"""

REQUESTS = """
import asyncio, json
from kubewright.apiserver import APIServer, Request

async def ask(server, method, path, body=None, **headers):
    sent = json.dumps(body).encode() if body else b""
    kind = {"content-type": headers.pop("type", "application/json")}
    answer = await server.handle(
        Request(method, path, body=sent, headers={**kind, **headers}, trusted=True)
    )
    assert answer.status < 300, (path, answer.body)

async def use(*requests):
    async with APIServer() as server:
        for request in requests:
            method, path, *rest = request
            await ask(server, method, path, *rest[:1], **(rest[1] if rest[1:] else {}))
"""

POLICY = {
    "apiVersion": "admissionregistration.k8s.io/v1",
    "kind": "ValidatingAdmissionPolicy",
    "metadata": {"name": "small"},
    "spec": {
        "matchConstraints": {
            "resourceRules": [
                {
                    "apiGroups": [""],
                    "apiVersions": ["v1"],
                    "operations": ["CREATE"],
                    "resources": ["configmaps"],
                }
            ]
        },
        "matchConditions": [{"name": "named", "expression": "object.metadata.name != ''"}],
        "validations": [{"expression": "size(object.data) < 9"}],
    },
}
BINDING = {
    "apiVersion": "admissionregistration.k8s.io/v1",
    "kind": "ValidatingAdmissionPolicyBinding",
    "metadata": {"name": "small"},
    "spec": {"policyName": "small", "validationActions": ["Deny"]},
}
MUTATING_POLICY = {
    "apiVersion": "admissionregistration.k8s.io/v1",
    "kind": "MutatingAdmissionPolicy",
    "metadata": {"name": "labels"},
    "spec": {
        "reinvocationPolicy": "Never",
        "matchConstraints": POLICY["spec"]["matchConstraints"],  # type: ignore[index]
        "mutations": [
            {
                "patchType": "ApplyConfiguration",
                "applyConfiguration": {
                    "expression": 'Object{metadata: Object.metadata{labels: {"seen": "yes"}}}'
                },
            }
        ],
    },
}
MUTATING_BINDING = {
    "apiVersion": "admissionregistration.k8s.io/v1",
    "kind": "MutatingAdmissionPolicyBinding",
    "metadata": {"name": "labels"},
    "spec": {"policyName": "labels"},
}
CONFIG_MAP = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "x"},
    "data": {"a": "b"},
}
DEPLOYMENT = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web"},
    "spec": {
        "selector": {"matchLabels": {"app": "web"}},
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [{"name": "web", "image": "nginx"}]},
        },
    },
}
_ADMISSION = "/apis/admissionregistration.k8s.io/v1"
_TABLE = {"accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}
_MERGE = {"type": "application/merge-patch+json"}
_WEB = "/apis/apps/v1/namespaces/default/deployments"

# An operator in a process of its own, as in a pod: the server, and whoever installs its CRD and
# makes an object, are other processes.
SHOP = """
import asyncio, sys
import kubewright as kw

@kw.resource(group="example.com", version="v1")
class Shop(kw.Resource):
    size: int = 1

operator = kw.Operator("shops")
"""
PREPARE = (
    SHOP
    + """
@operator.reconciler(Shop)
async def reconcile(shop, ctx):
    pass

async def prepare():
    async with kw.Client(kw.Config.load(sys.argv[1])) as client:
        await operator.install_crds(client)
        await client.create(Shop(metadata=kw.ObjectMeta(name="a", namespace="default")))

asyncio.run(prepare())
"""
)
AT_WORK = (
    SHOP
    + f"""
import subprocess, tempfile

async def work(kubeconfig):
    done = asyncio.Event()

    @operator.reconciler(Shop)
    async def reconcile(shop, ctx):
        done.set()

    manager = kw.Manager(kw.Cluster(kw.Config.load(kubeconfig)))
    operator.add_to(manager)
    async with manager:
        await done.wait()

with tempfile.TemporaryDirectory() as folder:
    config = folder + "/config"
    run = [sys.executable, "-m", "kubewright", "apiserver", "--kubeconfig", config]
    server = subprocess.Popen(run, stdout=subprocess.PIPE, text=True)
    try:
        while "KUBECONFIG" not in server.stdout.readline():
            pass
        subprocess.run([sys.executable, "-c", {PREPARE!r}, config], check=True)
        asyncio.run(work(config))
    finally:
        server.terminate()
        server.communicate()
"""
)

START_UPS: dict[str, str] = {
    "import kubewright": "import kubewright",
    "an operator": "import kubewright as kw; kw.Operator, kw.Manager, kw.Cluster, kw.Config",
    "an operator at work": AT_WORK,
    "the object model": "import kubewright.api",
    "schemas": "import kubewright.crd",
    "a client": "import kubewright.client; kubewright.client.Client",
    "kubewright --help": """
import contextlib, io, sys
sys.argv = ["kubewright", "--help"]
from kubewright.cli import main
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    main()
""",
    "the pytest plugin": "import kubewright.testing.plugin",
    "pages without TLS": "import kubewright._serve.server",
    "an API server": REQUESTS + "asyncio.run(use(('GET', '/api/v1/namespaces')))",
    "a write": REQUESTS
    + f"asyncio.run(use(('POST', '/api/v1/namespaces/default/configmaps', {CONFIG_MAP!r})))",
    "policies": REQUESTS
    + f"""asyncio.run(use(
    ("POST", "{_ADMISSION}/validatingadmissionpolicies", {POLICY!r}),
    ("POST", "{_ADMISSION}/validatingadmissionpolicybindings", {BINDING!r}),
    ("POST", "{_ADMISSION}/mutatingadmissionpolicies", {MUTATING_POLICY!r}),
    ("POST", "{_ADMISSION}/mutatingadmissionpolicybindings", {MUTATING_BINDING!r}),
    ("POST", "/api/v1/namespaces/default/configmaps", {CONFIG_MAP!r}),
))""",
    "kubectl get": REQUESTS
    + f"""asyncio.run(use(
    ("POST", "{_WEB}", {DEPLOYMENT!r}), ("GET", "{_WEB}", None, {_TABLE!r}),
))""",
    "kubectl scale": REQUESTS
    + f"""asyncio.run(use(
    ("POST", "{_WEB}", {DEPLOYMENT!r}),
    ("PATCH", "{_WEB}/web/scale", {{"spec": {{"replicas": 2}}}}, {_MERGE!r}),
))""",
    "a cluster": """
import asyncio
from kubewright.embedded import LocalCluster
async def start():
    async with LocalCluster():
        pass
asyncio.run(start())
""",
}


@cache
def loaded(name: str) -> frozenset[str]:
    """Return the modules that a new interpreter has loaded after the start-up *name*."""
    return _after(START_UPS[name])


@cache
def imported(module: str) -> frozenset[str]:
    """Return the modules that ``import module`` loads, and nothing else."""
    return _after(f"import {module}")


def _after(code: str) -> frozenset[str]:
    command = [sys.executable, "-c", code + REPORT]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ)
    assert ran.returncode == 0, ran.stderr
    return frozenset(json.loads(ran.stdout.rpartition("@@")[2]))

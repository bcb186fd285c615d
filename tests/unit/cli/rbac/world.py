"""A project whose operator does a little more than it declares, and a little less."""

from pathlib import Path

FILES = {
    "PROJECT": """\
domain: example.com
layout: [python.kubewright.dev/v1]
projectName: shop-operator
repo: shop_operator
version: "3"
""",
    "shop_operator/__init__.py": "",
    "shop_operator/operator.py": '''\
"""The operator."""

import kubewright as kw

operator = kw.Operator("shop-operator")
''',
    "shop_operator/controller.py": """\
import kubewright as kw
from kubewright.kinds.core.v1 import ConfigMap, Secret
from shop_operator.operator import operator


@operator.reconciler(Secret, owns=[ConfigMap])
async def reconcile(secret: Secret, ctx: kw.Context) -> None:
    services = await ctx.client.list(kw.Kind("v1", "Service"))
    await ctx.apply(ConfigMap(metadata=kw.ObjectMeta(name="a"), data={"n": str(len(services))}))
""",
    "shop_operator/main.py": """\
from shop_operator.operator import operator

operator.include("shop_operator.controller")
""",
    "tests/test_it.py": """\
import asyncio

import kubewright as kw
from kubewright.kinds.core.v1 import ConfigMap, Secret
from kubewright.testing import operator_test
from shop_operator.main import operator


async def copy() -> None:
    async with operator_test(operator) as test:
        await test.client.create(Secret(metadata=kw.ObjectMeta(name="a")))
        await test.settle()
        assert await test.client.get(ConfigMap, "a")


def test_copy() -> None:
    asyncio.run(copy())
""",
    "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["."]\n',
    "config/rbac/role.yaml": """\
# What the operator may do.
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: manager-role
rules:
- apiGroups: [""]
  resources: [configmaps]
  verbs: [create, delete, get, list, patch, watch]
- apiGroups: [""]
  resources: [secrets]
  verbs: [get, list, watch]
""",
    "config/rbac/role_binding.yaml": """\
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: manager-rolebinding}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: manager-role}
subjects: [{kind: ServiceAccount, name: controller-manager, namespace: system}]
""",
}
FIXED = '''\
"""The operator."""

import kubewright as kw
from kubewright.crd import PolicyRule

operator = kw.Operator(
    "shop-operator",
    rules=[
        PolicyRule(groups=("",), resources=("services",), verbs=("list",)),
    ],
)
'''


def log_of(folder: Path, *calls: tuple[str, str], user: str = "me") -> Path:
    """Write an audit log of a *user* with these verbs on resources of the core group."""
    path = folder / "audit.log"
    line = (
        '{{"kind":"Event","stage":"ResponseComplete","verb":"{}","user":{{"username":"{}"}},'
        '"objectRef":{{"resource":"{}","namespace":"shop"}},"responseStatus":{{"code":200}}}}\n'
    )
    path.write_text("".join(line.format(verb, user, resource) for verb, resource in calls))
    return path

"""A project with an operator that can be loaded, and overlays that can be built."""

import io
import sys
from pathlib import Path

import pytest

from tests.unit.cli.deploy.place import Done, run

__all__ = ["Done", "Place", "feed", "run"]

PROJECT = """\
domain: example.com
layout: [python.kubewright.dev/v1]
projectName: stalls
repo: stall_project
version: "3"
"""
MAIN = '''\
import kubewright as kw
from kubewright.kinds.apps.v1 import Deployment


class StallSpec(kw.Model):
    """What is wanted."""

    size: int = 1
    """How large it is."""


@kw.resource(group="shop.example.com", version="v1")
class Stall(kw.Resource):
    """A stall."""

    spec: StallSpec = kw.field(default_factory=StallSpec)


operator = kw.Operator("stalls")


@operator.reconciler(Stall, owns=[Deployment])
async def reconcile(stall: Stall, ctx: kw.Context) -> None: ...

print("loaded")
'''
VALIDATOR = """

@operator.validator(Stall)
def check(stall: Stall, ctx: kw.AdmissionContext[Stall]) -> None: ...
"""
MANAGER = """\
apiVersion: v1
kind: ServiceAccount
metadata: {name: manager, namespace: system}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: binding}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: manager-role}
subjects: [{kind: ServiceAccount, name: manager, namespace: system}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: manager, namespace: system}
spec:
  selector: {matchLabels: {app: stalls}}
  template:
    metadata: {labels: {app: stalls}}
    spec:
      serviceAccountName: manager
      containers: [{name: manager, image: "controller:latest", args: []}]
"""
FILES = {
    "PROJECT": PROJECT,
    "stall_project/__init__.py": "",
    "stall_project/main.py": MAIN,
    "config/crd/kustomization.yaml": "resources: [bases/shop.example.com_stalls.yaml]\n",
    "config/rbac/kustomization.yaml": "resources: [role.yaml]\n",
    "config/manager/kustomization.yaml": "resources: [manager.yaml]\n",
    "config/manager/manager.yaml": MANAGER,
    "config/default/kustomization.yaml": "namespace: stalls-system\nnamePrefix: stalls-\n"
    "resources: [../crd, ../rbac, ../manager]\n",
    "config/samples/kustomization.yaml": "resources: [stall.yaml]\n",
    "config/samples/stall.yaml": "apiVersion: shop.example.com/v1\nkind: Stall\n"
    "metadata: {name: sample}\nspec: {size: 3}\n",
}
CSV = "bundle/manifests/stalls.clusterserviceversion.yaml"
BASE = "config/manifests/bases/stalls.clusterserviceversion.yaml"


class Place:
    """A project on disk.

    Args:
        root: Its folder.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        for path, text in FILES.items():
            self.write(path, text)

    def write(self, path: str, text: str) -> None:
        """Write a file."""
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)

    def read(self, path: str) -> str:
        """Return the text of a file."""
        return (self.root / path).read_text()

    def change(self, path: str, old: str, new: str) -> None:
        """Replace a piece of a file, which has to be there."""
        text = self.read(path)
        assert old in text
        self.write(path, text.replace(old, new))

    def tree(self) -> dict[str, str]:
        """Return all files, by path."""
        return {
            str(one.relative_to(self.root)): one.read_text()
            for one in sorted(self.root.rglob("*"))
            if one.is_file()
        }

    def forget(self) -> None:
        """Let its modules be imported anew, as in another process."""
        for name, module in list(sys.modules.items()):
            if str(self.root) in str(getattr(module, "__file__", None)):
                del sys.modules[name]

    def prepare(self) -> None:
        """Write the manifests, and the folder that a bundle is built from."""
        assert run("manifests").status == 0
        assert run("generate", "kustomize", "manifests").status == 0

    def make_bundle(self, *words: str) -> Done:
        """Write a bundle."""
        named = ("--version", "0.1.0", "--channels", "stable", "--image", "a.b/stalls:v0.1.0")
        return run("generate", "bundle", *named, *words)


def feed(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Let *text* be the standard input."""
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))

"""A small project on disk, and commands in it as a user types them."""

import shutil
from pathlib import Path
from typing import NamedTuple

from typer.testing import CliRunner

from kubewright.cli import app as command
from kubewright.errors import KubewrightError
from kubewright.testing import EmbeddedServer

PROJECT = """\
domain: example.com
projectName: shop
repo: shop
version: "3"
layout: [python.kubewright.dev/v1]
"""
CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: shops.example.com
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Shop, plural: shops}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}
"""
ACCOUNT = """\
apiVersion: v1
kind: ServiceAccount
metadata: {name: controller-manager, namespace: system}
"""
MANAGER = """\
apiVersion: v1
kind: Namespace
metadata: {name: system}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: controller-manager, namespace: system}
spec:
  selector: {matchLabels: {app: shop}}
  template:
    metadata: {labels: {app: shop}}
    spec:
      serviceAccountName: controller-manager
      containers: [{name: manager, image: "controller:latest"}]
"""
DEFAULT = """\
namespace: shop-system
namePrefix: shop-
resources: [../crd, ../rbac, ../manager]
"""
CRD_NAME = "customresourcedefinition.apiextensions.k8s.io/shops.example.com"
DEPLOYMENT = "deployment.apps/shop-controller-manager in shop-system"
ACCOUNT_NAME = "serviceaccount/shop-controller-manager in shop-system"


class Done(NamedTuple):
    """A command that has ended."""

    status: int
    out: str
    err: str


class Place:
    """A project.

    Args:
        root: Its folder.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.write("PROJECT", PROJECT)
        self.write("Dockerfile", "FROM scratch\n")
        self.write("config/crd/kustomization.yaml", "resources: [bases/shops.yaml]\n")
        self.write("config/crd/bases/shops.yaml", CRD)
        self.write("config/rbac/kustomization.yaml", "resources: [account.yaml]\n")
        self.write("config/rbac/account.yaml", ACCOUNT)
        self.write("config/manager/kustomization.yaml", "resources: [manager.yaml]\n")
        self.write("config/manager/manager.yaml", MANAGER)
        self.write("config/default/kustomization.yaml", DEFAULT)

    def write(self, path: str, text: str) -> Path:
        """Write a file of the project."""
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        return place

    def remove(self, path: str) -> None:
        """Remove a file or a folder of the project."""
        place = self.root / path
        shutil.rmtree(place) if place.is_dir() else place.unlink()


def run(*words: str | Path, server: EmbeddedServer | None = None) -> Done:
    """Run a command in the current folder; with *server*, against that."""
    at = ["--kubeconfig", str(server.kubeconfig_file)] if server else []
    result = CliRunner().invoke(command.app, [*map(str, words), *at])
    if isinstance(result.exception, KubewrightError):  # `main` reports it so
        return Done(2, result.stdout, f"{result.stderr}kubewright: {result.exception}\n")
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Done(result.exit_code, result.stdout, result.stderr)

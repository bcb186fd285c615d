"""A small operator: its objects as kustomize builds them, and its bundle."""

from collections.abc import Iterator
from copy import deepcopy
from random import Random
from typing import Any

from kubewright.bundle import Bundle, read_bundle
from kubewright.bundle.annotations import Annotations
from kubewright.bundle.base import Metadata, new_base, with_owned
from kubewright.bundle.collection import collect
from kubewright.bundle.document import Path
from kubewright.bundle.generation import Wanted, bundle_files, metadata_files
from kubewright.bundle.serviceversion import Release
from kubewright.crd.manifest import from_yaml, to_yaml

Object = dict[str, Any]
CSV_PATH = "manifests/shop.clusterserviceversion.yaml"
CRD_PATH = "manifests/example.com_shops.yaml"
ANNOTATIONS_PATH = "metadata/annotations.yaml"
CREATED = "2026-01-01T00:00:00Z"
OBJECTS = """\
apiVersion: v1
kind: Namespace
metadata: {name: shop-system}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: shops.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Shop, listKind: ShopList, plural: shops, singular: shop}
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.size, statusReplicasPath: .status.size}
    schema:
      openAPIV3Schema:
        type: object
        description: A shop.
        properties:
          spec:
            type: object
            properties:
              size: {type: integer, description: How many.}
              openOnSunday: {type: boolean, title: Open on Sunday}
              colour: {type: string, enum: [red, blue]}
          status:
            type: object
            properties:
              size: {type: integer}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: shop-manager, namespace: shop-system}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: shop-role}
rules:
- {apiGroups: [example.com], resources: [shops], verbs: [get, list, watch]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: shop-viewer}
rules:
- {apiGroups: [example.com], resources: [shops], verbs: [get]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: shop-rolebinding}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: shop-role}
subjects:
- {kind: ServiceAccount, name: shop-manager, namespace: shop-system}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: shop-leases, namespace: shop-system}
rules:
- {apiGroups: [coordination.k8s.io], resources: [leases], verbs: [get]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: shop-leases, namespace: shop-system}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: shop-leases}
subjects:
- {kind: ServiceAccount, name: shop-manager, namespace: shop-system}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: shop-manager, namespace: shop-system, labels: {app: shop}}
spec:
  selector: {matchLabels: {app: shop}}
  template:
    metadata: {labels: {app: shop}}
    spec:
      serviceAccountName: shop-manager
      containers:
      - name: manager
        image: registry.example.com/shop:v1
        resources: {requests: {cpu: 10m, memory: 64Mi}}
---
apiVersion: example.com/v1
kind: Shop
metadata: {name: sample}
spec: {size: 3}
"""


def objects() -> list[Object]:
    """Return the objects of the operator."""
    return from_yaml(OBJECTS)


def one(kind: str, name: str = "") -> Object:
    """Return the object of a kind, by its name if there are several."""
    return next(
        each
        for each in objects()
        if each["kind"] == kind and name in ("", each["metadata"]["name"])
    )


def release(**changes: Any) -> Release:
    """Return version 0.1.0 of the operator."""
    return Release("shop", "0.1.0", CREATED)._replace(**changes)


def base() -> Object:
    """Return its base, with the list of kinds."""
    said = Metadata(
        "Shop", "Sells.", "Example", "https://example.com", ("shop",), {"Ann": "a@example.com"}
    )
    made = with_owned(new_base("shop", said), [one("CustomResourceDefinition")])
    made["spec"]["minKubeVersion"] = "1.25.0"
    return made


def files() -> dict[str, str]:
    """Return the files of its bundle."""
    annotations = Annotations("shop", ("stable",), "stable")
    made = bundle_files(base(), collect(objects()), Wanted(release(), annotations))
    return {**made, ANNOTATIONS_PATH: metadata_files(annotations, "bundle")[ANNOTATIONS_PATH]}


def bundle(**changed: str | None) -> Bundle:
    """Return its bundle; *changed* are texts by path, ``None`` for a file that is gone."""
    made: dict[str, str | None] = {**files(), **changed}
    return read_bundle("bundle", {path: text for path, text in made.items() if text is not None})


def changed(path: str, *where: str | int, value: Any = None) -> Bundle:
    """Return its bundle with one field of one file changed; without *value* it is gone."""
    [document] = from_yaml(files()[path])
    return bundle(**{path: to_yaml(put(document, where, value))})


def put(document: Object, where: Path, value: Any) -> Object:
    """Return *document* with a field changed; ``None`` removes it."""
    found: Any = deepcopy(document)
    at: Any = found
    for step in where[:-1]:
        at = at[step] if isinstance(step, int) else at.setdefault(step, {})
    if value is None:
        del at[where[-1]]
    else:
        at[where[-1]] = value
    made: Object = found
    return made


WRONG: tuple[Any, ...] = (None, 1, "x", [], {}, [1], ["x"], {"a": 1}, True, [None], [[1]], "")


def damaged(document: Object, random: Random) -> Object:
    """Return *document* with some fields gone, or of another type than they should be."""
    found = deepcopy(document)
    for _ in range(random.randint(1, 3)):
        if not (places := [one for one in _places(found) if one]):
            break
        where = random.choice(places)
        at: Any = found
        for step in where[:-1]:
            at = at[step]
        if random.random() < 0.3:
            del at[where[-1]]
        else:
            at[where[-1]] = deepcopy(random.choice(WRONG))
    return found


def _places(value: Any, path: Path = ()) -> Iterator[Path]:
    yield path
    inner = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for step, one_ in inner:
        yield from _places(one_, (*path, step))

"""Random overlays: objects, patches of them, and folders upon folders that change them."""

import json
from typing import Any

from hypothesis import strategies as st

from tests.kustomize import objects

Overlay = dict[str, str]

NAMES = st.sampled_from(("a", "b", "c"))
TEXTS = st.sampled_from(("x", "y", "1", "true", "on", "2020-01-01"))
VALUES = st.one_of(TEXTS, st.integers(0, 3), st.booleans(), st.none())


def dictionaries(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Return mappings that have any of *fields*."""
    return st.fixed_dictionaries({}, optional=fields)


def named(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Return mappings with a name, and any of *fields*."""
    return st.fixed_dictionaries({"name": NAMES}, optional=fields)


def pod(elements: Any) -> st.SearchStrategy[dict[str, Any]]:
    """Return pods; *elements* makes the lists of a strategy for their elements."""
    port = st.fixed_dictionaries(
        {"containerPort": st.integers(1, 3)},
        optional={"protocol": st.sampled_from(("TCP", "UDP")), "name": TEXTS},
    )
    container = named(
        image=TEXTS,
        args=st.lists(TEXTS, max_size=2),
        env=elements(named(value=TEXTS)),
        ports=elements(port),
        volumeMounts=elements(
            st.fixed_dictionaries({"mountPath": TEXTS}, optional={"name": NAMES})
        ),
        resources=dictionaries(limits=dictionaries(cpu=VALUES, memory=VALUES)),
    )
    return dictionaries(
        containers=elements(container),
        initContainers=elements(container),
        volumes=elements(named(emptyDir=st.just({}), configMap=named())),
        tolerations=st.lists(dictionaries(key=TEXTS, operator=TEXTS), max_size=2),
        imagePullSecrets=elements(named()),
        nodeSelector=dictionaries(a=TEXTS, b=TEXTS),
        hostAliases=elements(st.fixed_dictionaries({"ip": TEXTS})),
    )


def lists(element: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    """Return lists without two elements of the same first field, as servers demand."""
    return st.lists(element, max_size=3, unique_by=lambda one: str(next(iter(one.values()))))


def patched_lists(element: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any] | None]:
    """Return what patches have instead: elements to merge, to delete, or in place of all."""
    deleted = element.map(lambda one: {**dict([next(iter(one.items()))]), "$patch": "delete"})
    some = lists(st.one_of(element, deleted))
    replaced = lists(element).map(lambda found: [*found, {"$patch": "replace"}])
    return st.one_of(some, some, replaced, st.none())


def workload(elements: Any, values: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Return Deployments called ``main``."""
    metadata = st.fixed_dictionaries(
        {"name": st.just("main")},
        optional={
            "labels": dictionaries(a=values, b=values),
            "annotations": dictionaries(a=values, b=values),
            "finalizers": st.lists(NAMES, max_size=2, unique=True),
        },
    )
    template = dictionaries(
        metadata=dictionaries(labels=dictionaries(a=values, b=values)), spec=pod(elements)
    )
    spec = dictionaries(replicas=st.integers(0, 3), paused=values, template=template)
    return st.fixed_dictionaries(
        {
            "apiVersion": st.just("apps/v1"),
            "kind": st.just("Deployment"),
            "metadata": metadata,
            "spec": spec,
        }
    )


@st.composite
def merges(draw: st.DrawFn) -> Overlay:
    """Return a Deployment, and strategic patches of it."""
    document = draw(workload(lists, st.one_of(TEXTS, st.none())))
    patches = draw(st.lists(workload(patched_lists, VALUES), min_size=1, max_size=2))
    targets = draw(st.booleans())
    entries = [
        {"patch": json.dumps(one)} | ({"target": {"kind": "Deploy.*"}} if targets else {})
        for one in patches
    ]
    return {
        "kustomization.yaml": json.dumps({"resources": ["it.yaml"], "patches": entries}),
        "it.yaml": json.dumps(document),
    }


FILES = {
    "deployment.yaml": objects.DEPLOYMENT,
    "rbac.yaml": objects.RBAC,
    "service.yaml": objects.SERVICE,
    "webhooks.yaml": objects.WEBHOOKS,
    "certificate.yaml": objects.CERTIFICATE,
    "namespace.yaml": objects.NAMESPACE,
    "cronjob.yaml": objects.CRONJOB,
    "statefulset.yaml": objects.STATEFULSET,
    "shop.yaml": objects.CUSTOM,
    "policy.yaml": objects.NETWORK_POLICY,
}
LABELS = st.fixed_dictionaries(
    {"pairs": dictionaries(a=TEXTS, app=TEXTS)},
    optional={"includeSelectors": st.booleans(), "includeTemplates": st.booleans()},
)
TARGET = st.one_of(
    dictionaries(kind=st.sampled_from(("Deployment", ".*Role", "Shop", "Service.*"))),
    dictionaries(name=st.sampled_from((".*manager", "corner", "db"))),
    dictionaries(namespace=st.sampled_from(("system", "default", "x"))),
    st.just({"labelSelector": "app=shop"}),
)
OPERATION = st.sampled_from(
    (
        {"op": "add", "path": "/metadata/annotations/patched", "value": "yes"},
        {"op": "add", "path": "/metadata/labels", "value": {"new": "label"}},
        {"op": "add", "path": "/spec", "value": {"replicas": 4}},
        {"op": "replace", "path": "/metadata/name", "value": "renamed"},
    )
)
MARKED = dictionaries(a=TEXTS | st.none(), c=TEXTS | st.none())
MARKS = st.builds(
    lambda metadata, deep: json.dumps(
        {"apiVersion": "v1", "kind": "X", "metadata": {"name": "x", **metadata}, **deep}
    ),
    dictionaries(labels=MARKED, annotations=dictionaries(d=TEXTS | st.none())),
    st.builds(
        lambda labels: {"spec": {"template": {"metadata": {"labels": labels}}}} if labels else {},
        MARKED,
    ),
)
"""Patches of labels and annotations, of which kustomize has one node for several fields."""
GENERATOR = st.fixed_dictionaries(
    {"name": st.sampled_from(("settings", "credentials", "other"))},
    optional={
        "literals": st.lists(st.sampled_from(("a=1", "b=2", "c='d'")), max_size=2, unique=True),
        "behavior": st.sampled_from(("create", "merge", "replace")),
        "namespace": st.sampled_from(("system", "x")),
        "options": dictionaries(disableNameSuffixHash=st.booleans(), immutable=st.booleans()),
    },
)
IMAGE = st.fixed_dictionaries(
    {"name": st.sampled_from(("controller", "example.com/new", "postgres", "bus.*x"))},
    optional={
        "newName": st.sampled_from(("example.com/new", "controller")),
        "newTag": TEXTS,
        "digest": st.just("sha256:123"),
        "tagSuffix": st.just("-x"),
    },
)
SOURCE = st.sampled_from(
    (
        {"kind": "Service", "name": "webhook-service"},
        {"kind": "Deployment", "fieldPath": "spec.replicas"},
        {"kind": "Shop", "fieldPath": "spec.stock.0.name"},
        {"kind": "ServiceAccount", "fieldPath": "metadata.namespace"},
        {"kind": "Deployment", "fieldPath": "metadata.labels.a"},
    )
)
COPIED_TO = st.sampled_from(
    (
        {"select": {"kind": "Deployment"}, "fieldPaths": ["metadata.labels.a"]},
        {
            "select": {"kind": "Deployment"},
            "fieldPaths": ["spec.template.metadata.labels.c", "metadata.annotations.d"],
            "options": {"create": True},
        },
        {
            "select": {"kind": "StatefulSet"},
            "fieldPaths": ["spec.selector.matchLabels.a"],
            "options": {"delimiter": "-", "index": 3},
        },
        {"select": {"kind": "Shop"}, "fieldPaths": ["spec.copied"], "options": {"create": True}},
        {"select": {"kind": "Certificate"}, "fieldPaths": ["spec.dnsNames.*"]},
        {
            "select": {"kind": "Certificate"},
            "fieldPaths": ["spec.dnsNames.0"],
            "options": {"delimiter": ".", "index": 1},
        },
        {
            "select": {"name": "manager"},
            "reject": [{"kind": "Role"}],
            "fieldPaths": ["metadata.name"],
        },
    )
)
CHANGES = dictionaries(
    namespace=st.sampled_from(("system", "x", "default")),
    namePrefix=st.sampled_from(("a-", "b-")),
    nameSuffix=st.sampled_from(("-a", "-b")),
    labels=st.lists(LABELS, max_size=2),
    commonLabels=dictionaries(c=TEXTS),
    commonAnnotations=dictionaries(d=TEXTS),
    images=st.lists(IMAGE, max_size=2),
    replicas=st.lists(st.just({"name": "manager", "count": 5}), max_size=1),
    configMapGenerator=st.lists(GENERATOR, max_size=2),
    secretGenerator=st.lists(GENERATOR, max_size=1),
    generatorOptions=dictionaries(
        labels=dictionaries(g=TEXTS), disableNameSuffixHash=st.booleans()
    ),
    patches=st.lists(
        st.one_of(
            st.builds(
                lambda target, operation: {"target": target, "patch": json.dumps([operation])},
                TARGET,
                OPERATION,
            ),
            st.builds(lambda target, patch: {"target": target, "patch": patch}, TARGET, MARKS),
        ),
        max_size=2,
    ),
    replacements=st.lists(
        st.builds(lambda source, to: {"source": source, "targets": [to]}, SOURCE, COPIED_TO),
        max_size=1,
    ),
)


@st.composite
def compositions(draw: st.DrawFn) -> Overlay:
    """Return folders that build upon one another; the last one is ``overlay``."""
    tree: Overlay = {}
    folders: list[str] = []
    for at in range(draw(st.integers(1, 4))):
        folder = f"folder{at}"
        own = draw(st.lists(st.sampled_from(sorted(FILES)), max_size=4, unique=True))
        below = draw(st.lists(st.sampled_from(folders), max_size=2, unique=True)) if folders else []
        said = draw(CHANGES) | {"resources": [*own, *(f"../{name}" for name in below)]}
        tree |= {f"{folder}/{name}": FILES[name] for name in own}
        tree[f"{folder}/kustomization.yaml"] = json.dumps(said)
        folders.append(folder)
    return {path.replace(f"{folders[-1]}/", "overlay/"): text for path, text in tree.items()}

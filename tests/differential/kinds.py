"""Random objects of a few built-in kinds."""

from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from tests.differential.values import LABELS, Strategy, mostly

WORDS = st.sampled_from(["a", "b", "c"])
KEYS = mostly(WORDS, st.sampled_from(["", "bad key", "é", "..", "x" * 254]))
IMAGES = mostly(st.sampled_from(["i:1", "i:2"]), st.sampled_from(["", " i"]))


def some(**optional: Strategy) -> Strategy:
    """Return objects with some of the fields."""
    return st.fixed_dictionaries({}, optional=optional)


CONFIG_MAP = some(
    data=st.dictionaries(KEYS, WORDS, max_size=3),
    binaryData=st.dictionaries(KEYS, st.sampled_from(["YQ==", "Yg=="]), min_size=1, max_size=1),
    immutable=st.booleans(),
)
SECRET = some(
    data=st.dictionaries(KEYS, st.sampled_from(["YQ==", "Yg==", ""]), max_size=2),
    stringData=st.dictionaries(KEYS, WORDS, max_size=2),
    type=st.sampled_from(["Opaque", "kubernetes.io/tls", "x.io/y", "kubernetes.io/basic-auth"]),
    immutable=st.booleans(),
)
PORT = st.fixed_dictionaries(
    {"port": mostly(st.sampled_from([80, 443]), st.sampled_from([0, 70000, -1]))},
    optional={
        "name": mostly(WORDS, st.sampled_from(["", "A", "-"])),
        "protocol": mostly(st.sampled_from(["TCP", "UDP"]), st.just("wrong")),
        "targetPort": st.sampled_from([80, "http", 0, "a b"]),
    },
)
SERVICE = some(
    spec=some(
        ports=st.lists(PORT, max_size=2),
        selector=LABELS,
        type=st.sampled_from(["ClusterIP", "ClusterIP", "ExternalName", "wrong"]),
        clusterIP=st.sampled_from(["None", ""]),
        sessionAffinity=st.sampled_from(["None", "ClientIP", "wrong"]),
        externalName=st.sampled_from(["example.com", "", "A_B"]),
        publishNotReadyAddresses=st.booleans(),
    )
)
ENV = st.fixed_dictionaries(
    {"name": mostly(st.sampled_from(["A", "B"]), st.sampled_from(["", "="]))},
    optional={"value": WORDS, "valueFrom": st.just({"fieldRef": {"fieldPath": "metadata.name"}})},
)
QUANTITIES = st.sampled_from(["1", "0.5", "500m", "1Ki", "-1", "1.5"])
CONTAINER = st.fixed_dictionaries(
    {"name": mostly(WORDS, st.sampled_from(["", "A"])), "image": IMAGES},
    optional={
        "env": st.lists(ENV, max_size=2),
        "ports": st.lists(
            st.fixed_dictionaries(
                {"containerPort": st.sampled_from([80, 81, 0])},
                optional={"protocol": st.sampled_from(["TCP", "UDP"]), "name": WORDS},
            ),
            max_size=2,
        ),
        "args": st.lists(WORDS, max_size=2),
        "resources": some(
            limits=st.dictionaries(st.sampled_from(["cpu", "memory", "x"]), QUANTITIES, max_size=2),
            requests=st.dictionaries(st.sampled_from(["cpu", "memory"]), QUANTITIES, max_size=2),
        ),
        "imagePullPolicy": st.sampled_from(["Always", "Never", "wrong"]),
        "volumeMounts": st.just([{"name": "v", "mountPath": "/v"}]),
    },
)
TEMPLATE = st.fixed_dictionaries(
    {
        "metadata": st.fixed_dictionaries(
            {"labels": LABELS.map(lambda found: {"app": "a", **found})}
        ),
        "spec": st.fixed_dictionaries(
            {"containers": st.lists(CONTAINER, min_size=1, max_size=2)},
            optional={
                "volumes": st.sampled_from([[{"name": "v", "emptyDir": {}}], [{"name": "v"}]]),
                "restartPolicy": st.sampled_from(["Always", "Never"]),
                "terminationGracePeriodSeconds": st.sampled_from([0, 5, -1]),
                "tolerations": st.just([{"key": "a", "operator": "Exists"}]),
            },
        ),
    }
)
DEPLOYMENT = st.fixed_dictionaries(
    {
        "spec": st.fixed_dictionaries(
            {
                "selector": mostly(
                    st.just({"matchLabels": {"app": "a"}}), st.just({"matchLabels": {"app": "b"}})
                ),
                "template": TEMPLATE,
            },
            optional={
                "replicas": st.sampled_from([0, 1, 3, -1]),
                "strategy": st.sampled_from(
                    [
                        {"type": "Recreate"},
                        {"type": "RollingUpdate"},
                        {
                            "type": "RollingUpdate",
                            "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 0},
                        },
                        {"rollingUpdate": {"maxSurge": "50%"}},
                        {"type": "wrong"},
                    ]
                ),
                "minReadySeconds": st.sampled_from([0, 10, -1]),
                "paused": st.booleans(),
                "revisionHistoryLimit": st.sampled_from([0, 3, -1]),
                "progressDeadlineSeconds": st.sampled_from([0, 5, 700]),
            },
        )
    }
)
ROLE = some(
    rules=st.lists(
        some(
            apiGroups=st.lists(st.sampled_from(["", "apps"]), max_size=1),
            resources=st.lists(st.sampled_from(["pods", "*"]), max_size=1),
            verbs=st.lists(st.sampled_from(["get", "*"]), max_size=1),
            nonResourceURLs=st.lists(st.sampled_from(["/x", "*"]), max_size=1),
        ),
        max_size=2,
    ),
)
PRIORITY = some(
    value=st.sampled_from([1, 2, 2_000_000_000]),
    globalDefault=st.just(False),
    description=WORDS,
    preemptionPolicy=st.sampled_from(["Never", "PreemptLowerPriority", "wrong"]),
)


@dataclass(frozen=True)
class Kind:
    """A kind, where its objects are, and what they may be."""

    kind: str
    api_version: str
    content: Strategy
    status: Strategy | None = None
    namespaced: bool = True

    @property
    def path(self) -> str:
        """The collection, for a namespace that is filled in."""
        root = "/apis/" if "/" in self.api_version else "/api/"
        within = "/namespaces/{namespace}" if self.namespaced else ""
        plural = self.kind.lower() + ("es" if self.kind.endswith("s") else "s")
        return f"{root}{self.api_version}{within}/{plural}"

    def body(self, name: str, metadata: dict[str, Any], content: dict[str, Any]) -> dict[str, Any]:
        """Return an object."""
        return {
            "apiVersion": self.api_version,
            "kind": self.kind,
            "metadata": {"name": name, **metadata},
            **content,
        }


CONDITION = some(
    type=st.sampled_from(["Available", "Progressing"]),
    status=st.sampled_from(["True", "False"]),
    message=WORDS,
)
STATUS = some(
    replicas=st.sampled_from([0, 1, 2, -1]),
    readyReplicas=st.sampled_from([0, 1, 3]),
    observedGeneration=st.sampled_from([0, 1, -1]),
    conditions=st.lists(CONDITION, max_size=2),
)
BALANCER = some(
    loadBalancer=some(
        ingress=st.lists(some(hostname=st.just("a.b"), ip=st.just("1.2.3.4")), max_size=1)
    )
)
KINDS = {
    "configmap": Kind("ConfigMap", "v1", CONFIG_MAP),
    "secret": Kind("Secret", "v1", SECRET),
    "service": Kind("Service", "v1", SERVICE, BALANCER),
    "deployment": Kind("Deployment", "apps/v1", DEPLOYMENT, STATUS),
    "clusterrole": Kind("ClusterRole", "rbac.authorization.k8s.io/v1", ROLE, namespaced=False),
    "priorityclass": Kind("PriorityClass", "scheduling.k8s.io/v1", PRIORITY, namespaced=False),
}
POINTERS = {
    "configmap": ["/data/a", "/data", "/immutable", "/data/b"],
    "secret": ["/data/a", "/stringData", "/type", "/data"],
    "service": [
        "/spec/ports/0",
        "/spec/ports/-",
        "/spec/type",
        "/spec/selector",
        "/spec/ports/0/port",
    ],
    "deployment": [
        "/spec/replicas",
        "/spec/template/spec/containers/0/image",
        "/spec/template/spec/containers/-",
        "/spec/selector",
        "/spec/template/metadata/labels/l",
        "/spec/strategy",
        "/status/replicas",
    ],
    "clusterrole": ["/rules/0", "/rules/-", "/rules"],
    "priorityclass": ["/value", "/description"],
}
METADATA_POINTERS = [
    "/metadata/labels",
    "/metadata/labels/l",
    "/metadata/finalizers/0",
    "/metadata/name",
    "/kind",
    "",
    "/metadata/annotations/l",
    "/missing/x",
    "/metadata/resourceVersion",
]

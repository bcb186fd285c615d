"""Services and pods behind them."""

from typing import Any

import kubewright as kw
from kubewright.kinds.core.v1 import (
    Container,
    ContainerPort,
    Pod,
    PodSpec,
    Service,
    ServicePort,
    ServiceSpec,
)


def service(name: str = "web", **spec: Any) -> Service:
    spec.setdefault("selector", {"app": "web"})
    spec.setdefault("ports", [ServicePort(name="http", port=80, target_port="http")])
    return Service(metadata=kw.ObjectMeta(name=name), spec=ServiceSpec(**spec))


def pod(name: str, *, port: int = 8080, **spec: Any) -> Pod:
    container = Container(
        name="main", image="web", ports=[ContainerPort(name="http", container_port=port)]
    )
    return Pod(
        metadata=kw.ObjectMeta(name=name, labels={"app": "web"}),
        spec=PodSpec(containers=[container], **spec),
    )

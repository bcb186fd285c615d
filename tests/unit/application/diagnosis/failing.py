"""An operator that fails, for the tests of how that is found out."""

import kubewright as kw
from kubewright.application.diagnosis.failure import REASON, Failure, failures_in
from kubewright.kinds.core.v1 import ConfigMap, Event
from tests.unit.application.diagnosis.ward import NOW, made

FORBIDDEN = (
    "cannot apply secrets 'a' in namespace 'x': secrets \"a\" is forbidden: User"
    ' "system:serviceaccount:shops:shop" cannot patch resource "secrets" in API group "" in the'
    ' namespace "x"'
)


def operator() -> kw.Operator:
    """Return an operator that reconciles ConfigMaps."""
    made_ = kw.Operator("shop")

    @made_.reconciler(ConfigMap)
    async def reconcile(one: ConfigMap, ctx: kw.Context) -> None:
        """Do nothing."""

    return made_


def event(message: str = "no money", **more: str) -> Event:
    """Return what the operator says of a failed reconcile, a minute ago."""
    values = {
        "name": "a",
        "namespace": "x",
        "uid": "u1",
        "kind": "ConfigMap",
        "component": "shop",
        "reason": REASON,
        "first": "2026-11-01T11:50:00Z",
        "last": "2026-11-01T11:59:00Z",
        **more,
    }
    found = made(
        Event,
        """
        metadata: {{name: {name}.1, namespace: {namespace}}}
        involvedObject: {{apiVersion: v1, kind: {kind}, name: {name}, namespace: {namespace},
          uid: {uid}}}
        source: {{component: {component}}}
        type: Warning
        reason: {reason}
        firstTimestamp: {first}
        lastTimestamp: {last}
        """.format(**values),
    )
    found.message = message
    return found


def failures(*events: Event) -> list[Failure]:
    """Return what the operator failed at."""
    return list(failures_in(events, operator(), NOW))


def only(one: Event) -> Failure:
    """Return the failure of the only object."""
    (found,) = failures(one)
    return found

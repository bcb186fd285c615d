"""A service account and what its tokens can be bound to."""

from typing import Any

from kubewright._aio import VirtualClock
from kubewright.apiserver.authentication.jwt import SigningKey
from kubewright.apiserver.authentication.serviceaccount import (
    ACCOUNTS,
    NODES,
    PODS,
    SECRETS,
    ServiceAccountTokens,
)
from tests.unit.apiserver.memory_reader import MemoryReader

KEY = SigningKey.generate()


def meta(name: str, uid: str, namespace: str = "shop") -> dict[str, Any]:
    within = {"namespace": namespace} if namespace else {}
    return {"metadata": {"name": name, "uid": uid, **within}}


class World:
    """One account, one pod of it on a node, one secret."""

    def __init__(self) -> None:
        self.clock = VirtualClock()
        self.reader = MemoryReader()
        self.account = self.reader.put(ACCOUNTS, meta("bot", "u1"))
        spec = {"serviceAccountName": "bot", "nodeName": "one"}
        self.pod = self.reader.put(PODS, {**meta("web", "u2"), "spec": spec})
        self.secret = self.reader.put(SECRETS, meta("key", "u3"))
        self.node = self.reader.put(NODES, meta("one", "u4", namespace=""))
        self.tokens = ServiceAccountTokens(lambda: KEY, self.reader, clock=self.clock)

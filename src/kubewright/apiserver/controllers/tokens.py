"""Fills the Secrets in which users ask for a token of a service account that does not expire."""

from base64 import b64encode
from typing import TYPE_CHECKING

from kubewright.apiserver.authentication.serviceaccount import ServiceAccountTokens
from kubewright.apiserver.backend import Backend
from kubewright.apiserver.controllers.loopback import Handle, Loopback
from kubewright.apiserver.controllers.worker import NotYetError
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.registry.strategy import Obj
from kubewright.apiserver.storage import Event

if TYPE_CHECKING:
    from kubewright.apiserver.controllers.worker import Worker

ACCOUNTS = GroupResource("", "serviceaccounts")
MAPS = GroupResource("", "configmaps")
SECRETS = GroupResource("", "secrets")
TYPE: str = "kubernetes.io/service-account-token"
NAME: str = "kubernetes.io/service-account.name"
UID: str = "kubernetes.io/service-account.uid"
ROOT: str = "kube-root-ca.crt"
FOR_GOOD: int = 100 * 365 * 24 * 3600
_MARK = TYPE.encode()
_CONFLICT = 409


class TokenController:
    """Puts a token into each such Secret, and deletes those whose account is gone.

    The token is void when the Secret or the account is deleted.
    """

    def __init__(self, backend: Backend, handle: Handle, accounts: ServiceAccountTokens) -> None:
        self._backend = backend
        self._accounts = accounts
        self._loopback = Loopback(handle, backend.registry, "tokens-controller")
        self._worker: Worker

    def start(self, worker: "Worker") -> None:
        """Look at every Secret, and at every change from now on."""
        self._worker = worker
        store = self._backend.store
        store.listen(self._handle_event)
        for stored in store.collection(SECRETS).list():
            if _MARK in stored.data:
                worker.add(stored.key)

    def _handle_event(self, resource: GroupResource, event: Event) -> None:
        current = event.current
        if resource == SECRETS and event.type != "DELETED" and _MARK in current.data:
            self._worker.add(current.key)
        elif (resource == ACCOUNTS and event.type in ("ADDED", "DELETED")) or (
            resource == MAPS and current.key.endswith(f"/{ROOT}")
        ):
            self._add_all(current.key.rpartition("/")[0])

    def _add_all(self, namespace: str) -> None:
        for stored in self._backend.store.collection(SECRETS).list(namespace):
            if _MARK in stored.data:
                self._worker.add(stored.key)

    async def work(self, key: object) -> None:
        """Fill one Secret, or delete it."""
        assert isinstance(key, str)
        namespace, _, name = key.rpartition("/")
        store = self._backend.store
        secret = store.find_object(SECRETS, namespace, name)
        if secret is None or secret.get("type") != TYPE:
            return
        meta = secret["metadata"]
        notes = meta.get("annotations") or {}
        account = store.find_object(ACCOUNTS, namespace, notes.get(NAME, ""))
        path = self._loopback.path(SECRETS, namespace, name)
        if path is None or meta.get("deletionTimestamp"):
            return
        uid = account["metadata"]["uid"] if account else ""
        if account is None or notes.get(UID, uid) != uid:
            # One that never had a token waits for its account, which may be on its way.
            if notes.get(UID):
                body = {"preconditions": {"uid": meta["uid"]}}
                await self._loopback.ask("DELETE", path, body)
            return
        if self._fill(secret, account):
            answer = await self._loopback.ask("PUT", path, secret)
            if answer.status == _CONFLICT:
                raise NotYetError

    def _fill(self, secret: Obj, account: Obj) -> bool:
        """Put into *secret* what is missing; return whether anything was."""
        namespace = secret["metadata"]["namespace"]
        data: Obj = secret.setdefault("data", {})
        before = dict(data)
        data.setdefault("namespace", _encoded(namespace))
        root = self._backend.store.find_object(MAPS, namespace, ROOT) or {}
        if text := (root.get("data") or {}).get("ca.crt"):
            data["ca.crt"] = _encoded(text)
        if not data.get("token"):
            bound = {"secret": secret}
            token = self._accounts.make(account, seconds=FOR_GOOD, bound=bound)
            data["token"] = _encoded(token)
        notes = secret["metadata"].setdefault("annotations", {})
        is_named = UID in notes
        notes[UID] = account["metadata"]["uid"]
        return data != before or not is_named


def _encoded(text: str) -> str:
    return b64encode(text.encode()).decode()

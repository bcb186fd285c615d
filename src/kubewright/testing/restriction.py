"""An operator in a test that may do what it declares, and nothing else."""

import secrets
from contextlib import suppress
from typing import Any

from msgspec.structs import replace

from kubewright.api.unstructured import Unstructured
from kubewright.application import Application
from kubewright.application.rights import SYSTEM
from kubewright.client import Client
from kubewright.crd.rbac import roles
from kubewright.errors import AlreadyExistsError
from kubewright.testing.embedded import EmbeddedServer
from kubewright.testing.server import User

__all__ = ["restricted_client"]

_GROUP = "rbac.authorization.k8s.io"
_HOME = "default"
_GROUPS = ("system:serviceaccounts", f"system:serviceaccounts:{_HOME}")


async def restricted_client(server: EmbeddedServer, operator: Application, admin: Client) -> Client:
    """Return a client of a service account with the rights that *operator* declares.

    Args:
        server: The server, in this event loop.
        operator: Whose rights; a ClusterRole and Roles are made of them.
        admin: Makes the roles.
    """
    from kubewright.apiserver.authentication.user import UserInfo

    name = f"system:serviceaccount:{_HOME}:{operator.name}"
    user = User(name, _GROUPS, token=secrets.token_hex(16))
    server.api.users.add_user(UserInfo(name, groups=_GROUPS), user.token or "")
    rules = operator.rules()
    # Rules of a project call the operator's namespace so, and in a test that is this one.
    rules += [replace(one, namespace=_HOME) for one in rules if one.namespace == SYSTEM]
    for role in roles(operator.name, rules):
        if namespace := role["metadata"].get("namespace"):
            await _ensure(admin, _document("v1", "Namespace", {"name": namespace}))
        await _ensure(admin, role)
        await _ensure(admin, _binding(role, user.name))
    return server.client(user)


def _binding(role: dict[str, Any], user: str) -> dict[str, Any]:
    kind = role["kind"]
    return {
        **_document(f"{_GROUP}/v1", f"{kind}Binding", role["metadata"]),
        "roleRef": {"apiGroup": _GROUP, "kind": kind, "name": role["metadata"]["name"]},
        "subjects": [{"apiGroup": _GROUP, "kind": "User", "name": user}],
    }


def _document(version: str, kind: str, metadata: dict[str, Any]) -> dict[str, Any]:
    return {"apiVersion": version, "kind": kind, "metadata": metadata}


async def _ensure(admin: Client, document: dict[str, Any]) -> None:
    with suppress(AlreadyExistsError):  # the server was given, and so may be its namespaces
        await admin.create(Unstructured(document))

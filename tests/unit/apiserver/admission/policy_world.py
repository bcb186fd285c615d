"""Policies that are stored, and the plugin that asks them."""

from typing import Any

import pytest

from kubewright.apiserver.admission.attributes import Attributes
from kubewright.apiserver.admission.plugins.validatingadmissionpolicy import (
    BINDINGS,
    POLICIES,
    ValidatingAdmissionPolicy,
)
from kubewright.apiserver.authorization.rbac import RBAC
from kubewright.apiserver.meta.names import GroupResource
from kubewright.apiserver.meta.status import StatusError
from tests.unit.apiserver.admission.writes import Obj, context, store, write
from tests.unit.apiserver.authorization import roles

LIMITS = GroupResource("example.com", "limits")
RULE = {"operations": ["*"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"]}


class World:
    """Policies with their bindings, and somebody who may get pods."""

    def __init__(self) -> None:
        self.reader = store()
        given = roles.role("r", roles.rule("get", "pods"))
        rights = roles.store(given, roles.binding("b", "ClusterRole r", "User ann"))
        self.policies = ValidatingAdmissionPolicy(
            context(self.reader, authorizer=RBAC(rights), find_kind=self.find_kind)
        )
        self.warnings: list[str] = []

    @staticmethod
    def find_kind(version: str, kind: str) -> tuple[GroupResource, bool] | None:
        return (LIMITS, True) if (version, kind) == ("example.com/v1", "Limit") else None

    def add(self, *expressions: str | Obj, **spec: Any) -> None:
        validations = [{"expression": e} if isinstance(e, str) else e for e in expressions]
        spec = {
            "matchConstraints": {"resourceRules": [RULE]},
            "validations": validations,
            **spec,
        }
        self.reader.put(POLICIES, {"metadata": {"name": "p"}, "spec": spec})
        if not list(self.reader.list(BINDINGS)):
            self.bind()

    def bind(self, name: str = "b", *actions: str, **spec: Any) -> None:
        found = {"policyName": "p", "validationActions": list(actions or ("Deny",)), **spec}
        self.reader.put(BINDINGS, {"metadata": {"name": name}, "spec": found})

    async def ask(self, **parts: Any) -> Attributes:
        attributes = write(warn=self.warnings.append, **parts)
        await self.policies.validate(attributes)
        return attributes

    async def refusal(self, **parts: Any) -> StatusError:
        with pytest.raises(StatusError) as caught:
            await self.ask(**parts)
        return caught.value

    async def failure(self, **parts: Any) -> str:
        """Return what stands behind who refused."""
        return (await self.refusal(**parts)).message.partition("denied request: ")[2]

"""ClusterRoles that gather the rules of others."""

from kubewright.apiserver.server import APIServer
from tests.unit.apiserver.asking import MERGE, ask, make, named

ROLES = "/apis/rbac.authorization.k8s.io/v1/clusterroles"
LABEL = "rbac.authorization.k8s.io/aggregate-to-view"
RULE = {"apiGroups": ["example.com"], "resources": ["foos"], "verbs": ["get"]}


async def test_rules_are_gathered_at_once_and_let_go_at_once(server: APIServer) -> None:
    """Whoever may view may view what operators add, as soon as the answer is there."""

    async def gathered(role: str = "view") -> bool:
        return RULE in (await ask(server, "GET", f"{ROLES}/{role}")).obj["rules"]

    await make(server, ROLES, {**named("foo-viewer", labels={LABEL: "true"}), "rules": [RULE]})
    assert await gathered()
    assert await gathered("edit")  # gathers view itself
    await ask(
        server, "PATCH", f"{ROLES}/foo-viewer", {"metadata": {"labels": {LABEL: None}}}, media=MERGE
    )
    assert not await gathered()


async def test_a_role_that_gathers_is_right_after_any_update(server: APIServer) -> None:
    """What somebody writes into its rules is replaced."""
    await ask(server, "PATCH", f"{ROLES}/view", {"rules": []}, media=MERGE)

    assert len((await ask(server, "GET", f"{ROLES}/view")).obj["rules"]) > 5

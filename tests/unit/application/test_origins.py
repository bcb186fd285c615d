"""What rights are derived from."""

from pathlib import Path

import kubewright as kw
from kubewright.application.origins import origins_of, webhook_rules
from kubewright.application.rights import Right
from kubewright.crd import rules_for
from kubewright.kinds.core.v1 import ConfigMap, Node, Secret
from tests.unit.operator.world import Shop

HERE = Path(__file__).resolve().parent


def operator_of() -> kw.Operator:
    operator = kw.Operator("shops", rules=rules_for({Node: ["get"]}))

    @operator.reconciler(Shop, owns=[ConfigMap])
    async def reconcile(shop: Shop, ctx: kw.Context) -> None: ...

    return operator


def test_a_right_names_the_declaration_and_its_line() -> None:
    """That is where it can be changed."""
    found = origins_of(operator_of(), HERE)

    [said] = found[Right("", "", "configmaps", "delete")]
    assert said.startswith("reconciler 'shop' (test_origins.py:")
    assert said.endswith(" owns ConfigMap")


def test_a_function_from_elsewhere_has_its_whole_path() -> None:
    """It may be in a package that is installed."""
    [said] = origins_of(operator_of(), Path("/nowhere"))[Right("", "", "configmaps", "delete")]

    assert str(HERE) in said


def test_rules_by_hand_and_kinds_that_are_read_are_named() -> None:
    """They have no reconciler."""
    operator = operator_of()
    operator.index(Secret, "kind", lambda secret: [secret.type or ""])

    found = origins_of(operator, HERE)

    assert found[Right("", "", "nodes", "get")] == ["rules= of the operator 'shops'"]
    assert found[Right("", "", "secrets", "list")] == ["operator 'shops' reads Secret"]


def test_the_certificate_of_webhooks_needs_rights_that_tests_do_not_show() -> None:
    """Without webhooks there is none."""
    without, operator = operator_of(), operator_of()

    @operator.validator(Shop)
    def check(shop: Shop) -> None: ...

    resources = {name for rule, _ in webhook_rules(operator) for name in rule.resources}
    assert resources == {"secrets", "validatingwebhookconfigurations"}
    assert webhook_rules(without) == []

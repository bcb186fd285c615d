"""Helm's order."""

from kubewright.helm import Hook
from kubewright.helm.order import hooks_in_order, install_order, removal_order


def kinds(*names: str) -> list[dict[str, str]]:
    """Return an object of each kind."""
    return [{"kind": name} for name in names]


def test_what_others_need_is_installed_first() -> None:
    """And kinds that Helm does not know come last, by name."""
    given = kinds("Widget", "Deployment", "Anchor", "ServiceAccount", "Namespace", "Service")

    found = [one["kind"] for one in install_order(given)]

    assert found == ["Namespace", "ServiceAccount", "Service", "Deployment", "Anchor", "Widget"]


def test_webhooks_and_custom_objects_are_removed_first() -> None:
    """A webhook whose pods are gone would refuse the rest; an operator must outlive its objects."""
    given = kinds("Namespace", "Deployment", "Widget", "Service", "ValidatingWebhookConfiguration")

    found = [one["kind"] for one in removal_order(given)]

    assert found == [
        "ValidatingWebhookConfiguration", "Widget", "Service", "Deployment", "Namespace",
    ]  # fmt: skip


def test_hooks_come_by_weight_then_name_then_kind() -> None:
    """As helm 3.17 runs them, whatever its documentation says: charts were tried out with it."""
    hooks = [
        Hook("b", "Job", "", "", ["pre-install"], 1),
        Hook("z", "ConfigMap", "", "", ["pre-install"], 1),
        Hook("a", "Job", "", "", ["pre-install"], 1),
        Hook("first", "Job", "", "", ["pre-install"], -1),
        Hook("other", "Job", "", "", ["post-install"], 0),
    ]

    assert [one.name for one in hooks_in_order(hooks, "pre-install")] == ["first", "a", "b", "z"]

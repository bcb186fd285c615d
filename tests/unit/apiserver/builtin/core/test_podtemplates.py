"""PodTemplates."""

from kubewright.apiserver.builtin import strategy_for
from tests.unit.apiserver.builtin.workload_samples import an_object, created, refusals, template


def test_a_pod_template_is_checked_like_one_inside_of_a_workload() -> None:
    """Its path is shorter, that is all."""
    assert refusals("", "podtemplates", an_object()) == ["template.spec.containers: Required value"]


def test_a_new_template_is_a_new_generation() -> None:
    """It has no spec that could count."""
    strategy = strategy_for("", "podtemplates")
    old = created("", "podtemplates", an_object({"template": template()}))
    new = created("", "podtemplates", an_object({"template": template(hostNetwork=True)}))

    assert strategy.spec_changed(new, old)
    assert not strategy.spec_changed(old, old)

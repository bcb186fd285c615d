from kubewright.apiserver.admission.plugins.taintnodesbycondition import TaintNodesByCondition
from tests.unit.apiserver.admission.writes import Obj, context, pod_write


def test_a_new_node_takes_no_pods_until_it_is_ready() -> None:
    """The node controller removes the taint."""
    node: Obj = {
        "metadata": {"name": "n"},
        "spec": {"taints": [{"key": "a", "effect": "NoExecute"}]},
    }
    plugin = TaintNodesByCondition(context())

    plugin.admit(pod_write(node, resource="nodes"))
    plugin.admit(pod_write(node, resource="nodes"))

    assert node["spec"]["taints"] == [
        {"key": "a", "effect": "NoExecute"},
        {"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"},
    ]

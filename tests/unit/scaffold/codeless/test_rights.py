from kubewright.crd.rbac import READ, PolicyRule
from kubewright.scaffold.codeless.rights import ALL, NamedKind, named_kind, rights_of

POD = NamedKind("", "pods", namespaced=True, known=True)
NODE = NamedKind("", "nodes", namespaced=False, known=True)


def test_a_kind_of_kubernetes_has_its_plural() -> None:
    """Also in a version that is not known, or without any."""
    ingress = NamedKind("networking.k8s.io", "ingresses", namespaced=True, known=True)

    assert named_kind("networking.k8s.io/v1", "Ingress") == ingress
    assert named_kind("networking.k8s.io/v1beta9", "Ingress") == ingress
    assert named_kind("", "Ingress") == ingress


def test_the_plural_of_another_kind_is_a_guess() -> None:
    """And users are told."""
    shop = named_kind("example.com/v1", "Shop")

    found = rights_of({shop: ALL}, what="role", namespaced=False)

    assert shop == NamedKind("example.com", "shops", namespaced=True, known=False)
    assert found.notes[0].startswith("shops of example.com is a guess at the plural")


def test_rules_allow_what_is_done() -> None:
    """Those that are added, too."""
    more = PolicyRule(("",), ("pods/log",), ("get",))

    found = rights_of({POD: READ}, [more], what="role", namespaced=False)

    assert found.notes == ()
    assert {(rule.resources, rule.verbs) for rule in found.rules} == {
        (("pods",), READ),
        (("pods/log",), ("get",)),
    }


def test_a_role_of_one_namespace_has_nothing_outside() -> None:
    """API servers would ignore it; users are told what to do."""
    found = rights_of({POD: READ, NODE: READ}, what="chart", namespaced=True)

    assert [rule.resources for rule in found.rules] == [("pods",)]
    assert found.notes[0].startswith("the chart has nodes, which are in no namespace")

"""Internal values as messages show them."""

from kubewright.apiserver.builtin.fields.differences import difference, internal, invalid, shown


def test_every_field_is_shown_in_gos_order_with_null_for_what_is_absent() -> None:
    """The message prints a Go struct, not what the user sent."""
    strategy = {"rollingUpdate": {"maxSurge": "25%"}, "type": "X"}

    text = shown(strategy, "DeploymentStrategy")

    assert text == '{"Type":"X","RollingUpdate":{"MaxUnavailable":0,"MaxSurge":"25%"}}'


def test_maps_are_sorted_and_selectors_are_not() -> None:
    """Go sorts the keys of maps; a selector is a struct with a fixed order."""
    selector = {"matchExpressions": [], "matchLabels": {"b": "1", "a": "2"}}

    text = shown({"selector": selector}, "PodDisruptionBudgetSpec")

    assert '"Selector":{"matchLabels":{"a":"2","b":"1"},"matchExpressions":[]}' in text


def test_embedded_metadata_keeps_its_own_names() -> None:
    """Its type is shared with the wire format."""
    found = internal({"metadata": {"labels": {"a": "b"}}, "spec": {}}, "PodTemplateSpec")

    assert list(found) == ["labels", "Spec"]


def test_signs_of_web_pages_are_escaped() -> None:
    """Go makes JSON safe for HTML, and so shell commands look odd in messages."""
    error = invalid("spec", {"type": "a&b<c>"}, "DeploymentStrategy", detail="no")

    assert r"a\u0026b\u003cc\u003e" in error.text


def test_equal_values_do_not_differ() -> None:
    """An empty difference has no header."""
    assert difference({"hostname": "a"}, {"hostname": "a"}, "PodSpec") == ""

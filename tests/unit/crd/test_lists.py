import kubewright as kw
from kubewright.crd import schema_of
from kubewright.crd.known import CONDITION, without_descriptions


class ShopStatus(kw.Model):
    conditions: kw.Conditions = []


def test_conditions_are_a_map_by_their_type() -> None:
    """As in projects of kubebuilder: with server-side apply, each has a writer of its own."""
    schema = schema_of(ShopStatus)["properties"]["conditions"]

    assert schema["x-kubernetes-list-type"] == "map"
    assert schema["x-kubernetes-list-map-keys"] == ["type"]


def test_every_field_of_a_condition_is_described() -> None:
    """``kubectl explain`` and the API reference say what it is for, as with the other fields."""
    items = schema_of(ShopStatus)["properties"]["conditions"]["items"]

    assert [name for name, one in items["properties"].items() if not one.get("description")] == []
    assert without_descriptions(items) == CONDITION


def test_conditions_are_plain_lists_in_python() -> None:
    """Functions about conditions take them."""
    status = ShopStatus(conditions=[kw.Condition(type="Ready", status="True")])

    assert kw.is_condition_true(status.conditions, "Ready")

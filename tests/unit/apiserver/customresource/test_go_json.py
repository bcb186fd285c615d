"""Parts of definitions as the server prints them."""

from kubewright.apiserver.customresource import go_json


def test_json_is_escaped_as_go_does() -> None:
    """It might end up in a page."""
    assert go_json.encoded({"a": "<b> & c"}) == '{"a":"\\u003cb\\u003e \\u0026 c"}'


def test_schemas_have_all_fields_of_the_struct() -> None:
    """The server prints its struct in order, including empty fields."""
    shown = go_json.schema(
        {
            "type": "object",
            "properties": {"b": {"items": {"type": "string"}}, "a": {"additionalProperties": True}},
            "anyOf": [{"not": {"items": [{}]}}],
        }
    )

    assert shown is not None
    assert list(shown)[:5] == ["ID", "Schema", "Ref", "Description", "Type"]
    assert list(shown["Properties"]) == ["a", "b"]
    assert shown["Properties"]["a"]["AdditionalProperties"] == {"Allows": True, "Schema": None}
    assert shown["Properties"]["b"]["Items"]["Schema"]["Type"] == "string"
    assert shown["AnyOf"][0]["Not"]["Items"]["JSONSchemas"][0]["Nullable"] is False


def test_fields_with_their_empty_value_are_not_set() -> None:
    """Numbers and defaults are pointers, for which zero is a value."""
    source = {"type": "object", "nullable": False, "maxLength": 0, "default": []}

    assert go_json.fields_set(source) == ["Type", "Default", "MaxLength"]


def test_versions_show_their_subresources_and_columns() -> None:
    """The server prints them as structs, too."""
    shown = go_json.version(
        {
            "name": "v1",
            "subresources": {"status": {}, "scale": {"specReplicasPath": ".spec.n"}},
            "additionalPrinterColumns": [{"name": "a", "jsonPath": ".a"}],
            "selectableFields": [{"jsonPath": ".b"}],
        }
    )

    assert shown["Subresources"] == {
        "Status": {},
        "Scale": {
            "SpecReplicasPath": ".spec.n",
            "StatusReplicasPath": "",
            "LabelSelectorPath": None,
        },
    }
    assert shown["AdditionalPrinterColumns"][0]["JSONPath"] == ".a"
    assert shown["SelectableFields"] == [{"JSONPath": ".b"}]

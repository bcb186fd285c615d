"""The variables of a run, as operator-sdk makes them."""

import pytest

from kubewright.ansible.variables import extra_variables, name_in_snake_case

OBJECT = {
    "apiVersion": "my-app.example.com/v1",
    "kind": "Shop",
    "metadata": {"name": "corner", "namespace": "street"},
    "spec": {"appleCount": 2, "nested": [{"someName": "{{ x }}"}]},
}


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("newVar", "new_var"),
        ("already_there", "already_there"),
        ("JSONData", "_json_data"),
        ("userID", "user_id"),
        ("Kind", "_kind"),
        ("egressIP", "egress_ip"),
        ("egressIPs", "egress_ips"),
        ("URLPath", "url_path"),
        ("myHTTPServer", "my_http_server"),
        ("a-b c", "a_b_c"),
        ("x1y2", "x1y2"),
    ],
)
def test_names_are_in_snake_case(name: str, wanted: str) -> None:
    """Acronyms are one word, and a capital in the beginning is told."""
    assert name_in_snake_case(name) == wanted


def test_variables_are_the_spec_and_the_object() -> None:
    """And those of the watch, which win."""
    found = extra_variables(
        OBJECT, snake_case=True, mark_unsafe=False, variables={"apple_count": 3}
    )

    assert found["apple_count"] == 3
    assert found["nested"] == [{"some_name": "{{ x }}"}]
    assert found["ansible_operator_meta"] == {"name": "corner", "namespace": "street"}
    assert found["_my_app_example_com_shop"] == OBJECT
    assert found["_my_app_example_com_shop_spec"] == OBJECT["spec"]


def test_texts_can_be_marked_so_that_they_are_no_templates() -> None:
    """Whoever may make an object could run code of theirs otherwise."""
    found = extra_variables(OBJECT, snake_case=False, mark_unsafe=True, variables={})

    marked = {"__ansible_unsafe": "{{ x }}"}
    assert found["nested"] == [{"someName": marked}]
    assert found["_my_app_example_com_shop"]["spec"]["nested"] == [{"someName": marked}]
    assert found["appleCount"] == 2


def test_object_without_a_spec_has_its_other_variables() -> None:
    """Some kinds have none."""
    found = extra_variables(
        {**OBJECT, "spec": None}, snake_case=True, mark_unsafe=False, variables={}
    )

    assert found["_my_app_example_com_shop_spec"] == {}

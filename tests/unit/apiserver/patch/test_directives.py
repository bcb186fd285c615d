import pytest

from kubewright.apiserver.patch import directives


def test_directives_and_nulls_do_not_become_part_of_an_object() -> None:
    """Where there is nothing to merge with, only what is meant to stay stays."""
    value = {"a": {"$patch": "delete"}, "b": [{"$patch": "delete"}, {"c": None}], "d": None}

    assert directives.without_directives(value) == {"b": [{"c": None}], "d": None}
    assert directives.without_nulls(value)["b"] == [{"$patch": "delete"}, {}]


@pytest.mark.parametrize(
    ("directive", "message"),
    [
        ("$setElementOrderports", "invalid patch format of setElementOrder list"),
        ("$deleteFromPrimitiveList", "invalid patch format of primitive list"),
    ],
)
def test_directive_about_no_field_is_refused(directive: str, message: str) -> None:
    """A directive names its field after a slash."""
    assert directives.listed_field("$setElementOrder/a/b") == "a/b"
    with pytest.raises(directives.BadPatchError, match=message) as caught:
        directives.listed_field(directive)

    assert caught.value.code == 400

import pytest

from kubewright.apiserver.fieldmanager import fieldset
from kubewright.apiserver.fieldmanager.resets import reset_fields


@pytest.mark.parametrize(
    ("kind", "subresource", "paths"),
    [
        ("Job", "", {("f:status",)}),
        ("Job", "status", {("f:spec",)}),
        ("Deployment", "status", {("f:spec",), ("f:metadata", "f:labels")}),
        ("Job", "scale", set()),
    ],
)
def test_each_door_resets_what_it_cannot_change(
    kind: str, subresource: str, paths: set[tuple[str, ...]]
) -> None:
    """The status is not written through the object, nor the spec through the status."""
    found = reset_fields(kind, subresource, has_status=True)

    assert set(fieldset.paths(found or {})) == paths


def test_custom_resources_keep_their_metadata_through_the_status() -> None:
    """Kinds without a status of its own have nothing to reset."""
    found = reset_fields("Thing", "status", has_status=True, custom=True)

    assert set(fieldset.paths(found or {})) == {("f:metadata",), ("f:spec",)}
    assert reset_fields("Thing", "", has_status=False, custom=True) is None

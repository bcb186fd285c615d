"""Who owns fields after a release is adopted."""

from kubewright.helm.managed_fields import is_applied_by, is_managed_by, loosened, taken_over


def entry(manager: str, operation: str, **fields: object) -> dict[str, object]:
    """Return an entry of managedFields."""
    return {"manager": manager, "operation": operation, "fieldsV1": fields}


def test_what_was_helms_is_ours() -> None:
    """A field that a later manifest leaves out is removed then; others' stay theirs."""
    live = {
        "metadata": {
            "managedFields": [
                entry("helm", "Update", **{"f:data": {"f:a": {}}}),
                entry("shops", "Apply", **{"f:data": {"f:b": {}}}),
                entry("kubectl", "Update"),
            ]
        }
    }

    found = taken_over(live, "shops")

    assert found == [
        entry("shops", "Apply", **{"f:data": {"f:a": {}, "f:b": {}}}),
        entry("kubectl", "Update"),
    ]


def test_object_without_fields_of_helm_stays_as_it_is() -> None:
    """Nothing is written then."""
    assert taken_over({"metadata": {"managedFields": [entry("a", "Update")]}}, "shops") is None
    assert taken_over({}, "shops") is None


def test_what_was_patched_before_the_apply_is_let_go() -> None:
    """Another owner of a field would keep it there; the server may not even know which."""
    ours, theirs = entry("shops", "Apply"), entry("kubectl", "Update")
    status = {**entry("shops", "Update"), "subresource": "status"}
    patched = [entry("shops", "Update"), entry("before-first-apply", "Update")]

    found = loosened({"metadata": {"managedFields": [ours, *patched, theirs, status]}}, "shops")

    assert found == [ours, theirs, status]
    assert loosened({"metadata": {"managedFields": found}}, "shops") is None


def test_patch_is_no_apply() -> None:
    """What was patched only, an apply does not take away."""
    patched = {"metadata": {"managedFields": [entry("shops", "Update"), entry("b", "Apply")]}}

    assert not is_applied_by(patched, "shops")
    assert is_applied_by(patched, "b")


def test_status_is_no_field_of_an_owner() -> None:
    """A program that writes the status has not made the object."""
    status = {**entry("shops", "Update"), "subresource": "status"}

    assert not is_managed_by({"metadata": {"managedFields": [status]}}, "shops")
    assert is_managed_by({"metadata": {"managedFields": [entry("shops", "Apply")]}}, "shops")

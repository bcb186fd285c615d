from tests.unit.apiserver.table.rows import row

RBAC = "rbac.authorization.k8s.io"


def test_a_binding_shows_who_gets_what() -> None:
    """Service accounts are shown with their namespace."""
    subjects = [
        {"kind": "User", "name": "u"},
        {"kind": "Group", "name": "g"},
        {"kind": "Group", "name": "h"},
        {"kind": "ServiceAccount", "name": "s", "namespace": "n"},
    ]
    content = {"roleRef": {"kind": "Role", "name": "r"}, "subjects": subjects}

    found = row(RBAC, "rolebindings", content)

    assert found["Role"] == "Role/r"
    assert (found["Users"], found["Groups"], found["ServiceAccounts"]) == ("u", "g, h", "n/s")

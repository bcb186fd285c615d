"""Steps of JSON pointers."""

from tests.unit.apiserver.cel.evaluating import result


def test_keys_are_escaped() -> None:
    """Tilde first: what the slash becomes has one."""
    assert result("'/labels/' + jsonpatch.escapeKey('k8s.io/my~label')") == (
        "/labels/k8s.io~1my~0label"
    )

from tests.unit.apiserver.builtin.kind_server import KindServer


def test_a_bundle_of_a_signer_has_its_name_in_front() -> None:
    """Permissions by name then keep others from publishing a bundle for the signer."""
    server = KindServer("certificates.k8s.io", "clustertrustbundles")
    content = {"spec": {"signerName": "example.com/a", "trustBundle": "x"}}

    assert "must be named with prefix example.com:a:" in server.refusal(content)
    assert not server.refusal(content, name="example.com:a:one")

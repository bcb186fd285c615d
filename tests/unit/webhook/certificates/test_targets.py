import pytest

from kubewright.errors import ConfigError
from kubewright.webhook.certificates import Targets, rules, service_hosts
from kubewright.webhook.certificates.targets import normal_hosts


def test_rights_are_for_these_objects_and_no_others() -> None:
    """A right to patch all webhook configurations is a right to read every write."""
    targets = Targets(mutating=("m",), crds=("b.example.com", "a.example.com"))

    found = rules(secret="cert", namespace="shops", targets=targets)

    assert [(one.resources, one.resource_names, one.namespace) for one in found] == [
        (("secrets",), (), "shops"),
        (("secrets",), ("cert",), "shops"),
        (("mutatingwebhookconfigurations",), ("m",), ""),
        (("customresourcedefinitions",), ("a.example.com", "b.example.com"), ""),
    ]
    assert found[0].verbs == ("create",)
    assert "patch" in found[2].verbs


def test_api_servers_call_the_first_host_of_a_service() -> None:
    """They verify that name, whatever address they use."""
    assert service_hosts("hooks", "shops")[0] == "hooks.shops.svc"


def test_hosts_are_compared_as_certificates_say_them() -> None:
    """A spelling would else be a reason to make a new certificate, again and again."""
    found = normal_hosts(("Shop.Default.SVC", "shop.default.svc", "[0:0::1]", "127.0.0.1"))

    assert found == ("shop.default.svc", "::1", "127.0.0.1")


@pytest.mark.parametrize("hosts", [(), ("",), ("läden.example",)])
def test_a_certificate_for_nobody_is_refused(hosts: tuple[str, ...]) -> None:
    """It would be made, and refused by every client."""
    with pytest.raises(ConfigError, match="name each host"):
        normal_hosts(hosts)


def test_a_single_name_is_not_taken_for_its_letters() -> None:
    """``("shops")`` is a string; nine hosts of one letter each would be the result."""
    with pytest.raises(TypeError, match=r"\('shops',\)"):
        normal_hosts("shops")
    with pytest.raises(TypeError, match=r"\('shops',\)"):
        Targets(mutating="shops")  # type: ignore[arg-type]

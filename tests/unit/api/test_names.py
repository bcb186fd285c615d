import pytest

from kubewright.api.names import (
    check_dns_label,
    check_dns_subdomain,
    check_label_key,
    check_label_value,
)


@pytest.mark.parametrize(
    "key", ["a", "A", "app", "app.kubernetes.io/name", "a_b-c.d", "0", "a" * 63, "x.y/" + "a" * 63]
)
def test_a_key_that_the_server_takes_is_taken(key: str) -> None:
    """A stricter check than the server's would lock people out of their own labels."""
    check_label_key(key)


@pytest.mark.parametrize(
    "key",
    ["", "/", "/a", "a/", "a/b/c", "-a", "a-", "a b", "é", "a\n", "A.com/a", "a..b/c", "a" * 64,
     "x" * 254 + "/a"],
)  # fmt: skip
def test_a_key_that_the_server_refuses_is_refused(key: str) -> None:
    """Each would be a 422 after a round trip; a newline at the end once slipped through."""
    with pytest.raises(ValueError, match="is not a valid key"):
        check_label_key(key)


def test_the_message_about_a_long_name_says_how_long_it_may_be() -> None:
    """People cut generated names to length, so they need the number."""
    with pytest.raises(ValueError, match="it has 64 characters, and at most 63 are allowed"):
        check_label_key("a" * 64)


@pytest.mark.parametrize("value", ["", "a", "1.2_3-4", "a" * 63])
def test_a_value_may_be_empty_or_a_name(value: str) -> None:
    """An empty value is a value, unlike an empty key."""
    check_label_value(value)


@pytest.mark.parametrize("value", ["a/b", "-", "a" * 64, "ü", "a\n", " "])
def test_a_value_that_the_server_refuses_is_refused(value: str) -> None:
    """A slash is for keys only."""
    with pytest.raises(ValueError, match="is not a valid label value"):
        check_label_value(value)


def test_only_a_subdomain_has_dots() -> None:
    """Namespaces are DNS labels; most other names are subdomains."""
    check_dns_subdomain("a.b-c.d")
    check_dns_label("b-c")

    with pytest.raises(ValueError, match=r"'a\.b' is not a valid name"):
        check_dns_label("a.b")
    with pytest.raises(ValueError, match="is not a valid name"):
        check_dns_subdomain("A.b")
    with pytest.raises(ValueError, match="it is empty"):
        check_dns_subdomain("")

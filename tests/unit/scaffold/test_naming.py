import pytest

from kubewright.errors import ConfigError
from kubewright.scaffold.naming import (
    check_domain,
    check_group,
    check_kind,
    check_plural,
    check_project_name,
    check_version,
    module_name,
    package_name,
    suggestion_for,
)


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("Shop", "lower case letters, digits and dashes only"),
        ("my_shop", "Say --project-name my-shop-operator"),
        ("-shop", "a letter or digit at both ends"),
        ("shop.example", "Say --project-name shop-example-operator"),
        ("", "Say --project-name my-operator"),
        ("s" * 48, "47 is the most"),
    ],
)
def test_a_name_that_no_object_can_have_is_refused(name: str, fault: str) -> None:
    """A server would refuse the Service, long after the project was made."""
    with pytest.raises(ConfigError) as refused:
        check_project_name(name)

    assert fault in str(refused.value)


@pytest.mark.parametrize("name", ["shop", "a", "memcached-operator", "s" * 47])
def test_other_names_will_do(name: str) -> None:
    """The limit is what a Service may be called."""
    check_project_name(name)

    assert len(f"{name}-metrics-service") <= 63


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("test", "would hide the module"),
        ("json", "Choose another name, such as --project-name json-operator"),
        ("kubewright", "would hide the module"),
        ("yaml", "would hide the module"),
        ("class", "a word of Python's own"),
        ("3scale", "such as --project-name scale-operator"),
        ("config", "the project has a folder config"),
    ],
)
def test_a_package_that_cannot_be_imported_is_refused(name: str, fault: str) -> None:
    """Otherwise, the first error would be one of Python's, in somebody else's module."""
    with pytest.raises(ConfigError) as refused:
        package_name(name)

    assert fault in str(refused.value)


def test_modules_are_called_after_groups() -> None:
    """Python has neither dashes nor dots in names, and words of its own."""
    assert package_name("shop-operator") == "shop_operator"
    assert module_name("rbac.authorization") == "rbac_authorization"
    assert module_name("class") == "class_"


@pytest.mark.parametrize(
    ("domain", "hint"),
    [
        ("Example.com", "--domain example.com"),
        ("my_domain", "--domain my-domain"),
        ("https://example.com/", "--domain example.com"),
        ("a..b", "--domain example.com"),
        ("", "--domain example.com"),
        ("a." * 110 + "a", "is not a domain"),
    ],
)
def test_what_is_not_a_domain_is_refused(domain: str, hint: str) -> None:
    """The message has one that would do."""
    with pytest.raises(ConfigError) as refused:
        check_domain(domain)

    assert hint in str(refused.value)


@pytest.mark.parametrize(
    ("group", "hint"),
    [
        ("shop.example.com", "the project's domain is added to it. Say --group shop"),
        ("cert-manager.io", "for a kind of others, add --external-api-domain io"),
        ("Shop", "such as --group shop"),
        ("my_group", "such as --group my-group"),
        ("", "such as --group shop"),
    ],
)
def test_what_cannot_be_in_a_group_is_refused(group: str, hint: str) -> None:
    """People write the whole group at first."""
    with pytest.raises(ConfigError) as refused:
        check_group(group, "example.com")

    assert hint in str(refused.value)


@pytest.mark.parametrize(
    ("version", "hint"),
    [("1", "--version v1"), ("V2", "--version v2"), ("v1.0", "--version v1"), ("v0", "v1")],
)
def test_what_is_not_a_version_is_refused(version: str, hint: str) -> None:
    """The message has the one that was meant."""
    with pytest.raises(ConfigError) as refused:
        check_version(version)

    assert hint in str(refused.value)


@pytest.mark.parametrize(
    ("kind", "hint"),
    [
        ("shop", "--kind Shop"),
        ("my-shop", "--kind MyShop"),
        ("my_Shop", "--kind MyShop"),
        ("Läden", "--kind Laden"),
        ("None", "a word of Python's own"),
        ("K" * 64, "63 at most"),
    ],
)
def test_what_cannot_be_a_kind_is_refused(kind: str, hint: str) -> None:
    """It becomes a class, and in lower case a name in the cluster."""
    with pytest.raises(ConfigError) as refused:
        check_kind(kind)

    assert hint in str(refused.value)


@pytest.mark.parametrize("plural", ["Shops", "my shops", "1shop", "-"])
def test_what_cannot_be_a_plural_is_refused(plural: str) -> None:
    """The message has the usual one."""
    with pytest.raises(ConfigError, match="such as --plural shops"):
        check_plural(plural, "Shop")


def test_a_word_that_is_mistyped_is_recognised() -> None:
    """And one that is quite another is not taken for it."""
    known = ["Deployment", "DaemonSet"]

    assert suggestion_for("Deploymnet", known) == " Did you mean Deployment?"
    assert not suggestion_for("Shop", known)

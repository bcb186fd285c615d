import pytest
import yaml

from kubewright.errors import ConfigError
from kubewright.scaffold.ansible.definition import crd_text, sample_text
from kubewright.scaffold.ansible.role import Role
from kubewright.scaffold.manifests import is_ours
from kubewright.scaffold.project import API, ProjectResource

SHOP = ProjectResource(
    kind="Shop", version="v1", group="web", domain="a.b", api=API(namespaced=True)
)
PLAIN = "---\n# -- How many.\npod_count: 1\n"
COMPUTED = 'base_url: "http://{{ ansible_operator_meta.name }}"  # @url\n_own: 1\n'


def role(text: str) -> Role:
    """Return a role with these defaults."""
    return Role("shop", {"defaults/main.yml": text})


def test_a_crd_without_a_schema_is_the_users() -> None:
    """Its spec may be anything."""
    text = crd_text(SHOP)

    [version] = yaml.safe_load(text)["spec"]["versions"]
    spec = version["schema"]["openAPIV3Schema"]["properties"]["spec"]
    assert spec["x-kubernetes-preserve-unknown-fields"] is True
    assert not is_ours(text)


def test_a_crd_with_a_schema_has_the_defaults() -> None:
    """As fields; what is computed may be anything, and what is the role's own is left out."""
    text = crd_text(SHOP, role(PLAIN + COMPUTED))

    [version] = yaml.safe_load(text)["spec"]["versions"]
    spec = version["schema"]["openAPIV3Schema"]["properties"]["spec"]
    assert is_ours(text)
    assert spec["properties"] == {
        "podCount": {"type": "integer", "description": "How many."},
        "baseUrl": {"x-kubernetes-preserve-unknown-fields": True},
    }


def test_a_sample_has_the_defaults_as_fields() -> None:
    """With their comments, if nothing has to be left out."""
    computed = sample_text(SHOP, role(PLAIN + COMPUTED), "    a: b")
    plain = sample_text(SHOP, role(PLAIN), "    a: b")

    assert yaml.safe_load(computed)["spec"] == {"podCount": 1}
    assert plain.endswith("spec:\n  # -- How many.\n  podCount: 1\n")
    assert yaml.safe_load(sample_text(SHOP, None, "    a: b"))["spec"] == {}


def test_broken_defaults_are_told_with_their_place() -> None:
    """The whole path, with the line."""
    broken = Role("shop", {"defaults/main.yaml": "a: 1\nb: [\n"})

    with pytest.raises(ConfigError, match=r"^roles/shop/defaults/main\.yaml:3: this is not YAML"):
        crd_text(SHOP, broken)

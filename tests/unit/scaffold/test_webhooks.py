import yaml

from kubewright.scaffold.creation import Scaffold
from kubewright.scaffold.project import Webhooks
from kubewright.scaffold.wanted import Wanted
from kubewright.scaffold.webhooks import webhook_files
from tests.golden.scaffold.rewrite import Tree, single

V1, V2 = (Wanted(group="shop", version=one, kind="Shop") for one in ("v1", "v2"))


def two_versions() -> Tree:
    """Return a project with two versions of a kind."""
    tree = Tree("shop")
    tree.init("init")
    tree.api("v1", V1)
    tree.api("v2", V2)
    return tree


def converted(tree: Tree) -> Scaffold:
    """Return the files of a conversion in *tree*."""
    resource = tree.project.find("shop", "v1", "Shop")
    assert resource is not None
    resource.webhooks = Webhooks(conversion=True, spoke=("v2",))
    return webhook_files(
        tree.project, resource, tree.templates, tree.files.get, admission=False, conversion=True
    )


def test_a_conversion_copies_the_fields_that_both_versions_have() -> None:
    """What is left is what somebody has to think about."""
    tree = two_versions()
    v2 = "shop/api/v2/shop.py"
    tree.files[v2] = tree.files[v2].replace("    foo: str", "    bar: str")

    code = converted(tree).new["shop/webhook/v1/shop_conversion.py"]

    assert "foo=" not in code
    assert "spec=ShopSpec()," in code
    assert "conditions=old.status.conditions," in code


def test_a_module_that_is_broken_does_not_stop_it() -> None:
    """Its owner sees the error anyway."""
    tree = two_versions()
    tree.files["shop/api/v2/shop.py"] = "class ("

    assert "spec=ShopSpec()," in converted(tree).new["shop/webhook/v1/shop_conversion.py"]


def test_nothing_admits_objects_where_they_are_only_converted() -> None:
    """An empty manifests.yaml would stop kustomize."""
    made = converted(two_versions())

    assert "config/webhook/manifests.yaml" not in made.shared
    assert yaml.safe_load(made.shared["config/webhook/kustomization.yaml"]) == {
        "resources": ["service.yaml"]
    }


def test_webhooks_of_a_second_kind_share_what_serves_them() -> None:
    """There is one Service, and one certificate."""
    tree = single()
    tree.api("other", Wanted(group="shop", version="v1", kind="Street"))
    resource = tree.project.find("shop", "v1", "Street")
    assert resource is not None
    resource.webhooks = Webhooks(defaulting=True)

    made = webhook_files(
        tree.project, resource, tree.templates, tree.files.get, admission=True, conversion=False
    )

    assert set(made.new) == {"shop/webhook/v1/street.py", "tests/test_street_v1_webhook.py"}
    assert set(made.changed) == {"PROJECT"}

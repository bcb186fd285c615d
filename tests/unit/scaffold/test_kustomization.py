"""What kustomizations say about generated manifests."""

import pytest

from kubewright.errors import ConfigError
from kubewright.scaffold.kustomization import check_names, faults_of
from kubewright.scaffold.manifests import CONVERSION, MARK, ROLE, WEBHOOKS

BASE = "config/crd/bases/a.example.com_shops.yaml"
LISTED = {
    "config/crd/kustomization.yaml": "resources:\n- bases/a.example.com_shops.yaml\n",
    "config/rbac/kustomization.yaml": "resources: [./role.yaml, role_binding.yaml]\n",
    "config/webhook/kustomization.yaml": "resources:\n- manifests.yaml\n- service.yaml\n",
    "config/default/kustomization.yaml": (
        "resources:\n- ../crd\npatches:\n- path: crd_conversion_patch.yaml\n- patch: '[]'\n"
    ),
}
ALL = [BASE, ROLE, WEBHOOKS, CONVERSION]


def faults(generated: list[str], **files: str) -> list[str]:
    """Return what is wrong in a project with *files* besides the usual ones."""
    return list(faults_of(generated, (LISTED | files).get))


def test_nothing_is_wrong_if_all_are_listed() -> None:
    """However the paths are written."""
    assert faults(ALL) == []


@pytest.mark.parametrize("name", ["kustomization.yml", "Kustomization"])
def test_a_kustomization_may_have_its_other_names(name: str) -> None:
    """Those that kustomize knows."""
    files = {path.replace("kustomization.yaml", name): text for path, text in LISTED.items()}

    assert list(faults_of(ALL, files.get)) == []


def test_a_file_that_is_not_listed_comes_with_the_line_to_add() -> None:
    """The classic: a CRD is made, and never gets into the cluster."""
    empty = dict.fromkeys(LISTED, "# nothing\n")

    for path, line, where in (
        (BASE, "bases/a.example.com_shops.yaml", "resources in config/crd"),
        (ROLE, "role.yaml", "resources in config/rbac"),
        (WEBHOOKS, "manifests.yaml", "resources in config/webhook"),
        (CONVERSION, "path: crd_conversion_patch.yaml", "patches in config/default"),
    ):
        advice = f"add `- {line}` to the {where}/kustomization.yaml"
        assert list(faults_of([path], empty.get)) == [f"{path} is not deployed: {advice}"]


def named(text: str, *generated: str) -> None:
    """Check a project called shop whose config/default says *text*."""
    files = {"config/default/kustomization.yaml": text}
    check_names(generated or (ROLE, WEBHOOKS), "shop", files.get)


@pytest.mark.parametrize(
    ("text", "said", "advice"),
    [
        ("namePrefix: other-", "has namePrefix 'other-'. It", "write `namePrefix: shop-`"),
        ("resources: []", "has no namePrefix. It", "write `namePrefix: shop-`"),
        (
            "namePrefix: shop-\nnameSuffix: -x",
            "has namePrefix 'shop-' and nameSuffix '-x'. It",
            "write `namePrefix: shop-`, and remove the nameSuffix",
        ),
    ],
)
def test_names_that_the_operator_does_not_look_for_are_refused(
    text: str, said: str, advice: str
) -> None:
    """It waits for its certificate for ever, and each write of its kinds fails."""
    with pytest.raises(ConfigError) as refused:
        named(text)

    assert f"config/default/kustomization.yaml {said}" in str(refused.value)
    assert str(refused.value).endswith(advice)
    with pytest.raises(ConfigError):
        named(text, CONVERSION)


def test_names_are_free_without_webhooks() -> None:
    """Nobody looks for anything by its name then."""
    named("namePrefix: other-", ROLE, BASE)


def test_names_of_the_scaffold_are_right() -> None:
    """And a project without config/default deploys in a way of its own."""
    nothing: dict[str, str] = {}

    named("namePrefix: shop-")
    check_names([WEBHOOKS], "shop", nothing.get)


def test_a_missing_kustomization_is_named() -> None:
    """As after a webhook without `kubewright create webhook`, which makes the folder."""
    nothing: dict[str, str] = {}

    (said,) = faults_of([WEBHOOKS], nothing.get)

    assert said == (
        "config/webhook/manifests.yaml is not deployed: there is no"
        " config/webhook/kustomization.yaml that lists it"
    )


def test_a_file_that_is_listed_and_not_made_any_more_is_named() -> None:
    """Kustomize would end with an error, in the next deployment."""
    ours = {BASE: MARK, WEBHOOKS: MARK}  # as long as they are not removed

    found = faults([ROLE], **ours)

    assert sorted(one.partition(",")[0] for one in found) == [
        "config/crd/kustomization.yaml lists bases/a.example.com_shops.yaml",
        "config/default/kustomization.yaml lists crd_conversion_patch.yaml",
        "config/webhook/kustomization.yaml lists manifests.yaml",
    ]
    assert all(one.endswith(", which is not made any more: remove that line") for one in found)


def test_files_of_the_user_are_nobody_elses_business() -> None:
    """A CRD that was written by hand may lie beside ours, and be listed or not."""
    assert faults([ROLE], **{BASE: "kind: X\n", WEBHOOKS: "kind: X\n", CONVERSION: "a: 1\n"}) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("resources: [", r"config/rbac/kustomization\.yaml is not YAML: "),
        ("- role.yaml", r"config/rbac/kustomization\.yaml is not a mapping"),
    ],
)
def test_a_broken_kustomization_is_refused(text: str, said: str) -> None:
    """With its name: there are five of them."""
    with pytest.raises(ConfigError, match=said):
        faults(ALL, **{"config/rbac/kustomization.yaml": text})


@pytest.mark.parametrize("listed", ["5", "role.yaml", "{a: b}", "[[role.yaml], 5]", "[{path: }]"])
def test_odd_lists_do_no_harm(listed: str) -> None:
    """Kustomize itself says what is wrong with them; for us, nothing is listed."""
    files = {"config/rbac/kustomization.yaml": f"resources: {listed}\npatches: null\n"}

    assert "role.yaml is not deployed" in faults(ALL, **files)[0]

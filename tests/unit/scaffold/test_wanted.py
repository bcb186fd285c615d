import pytest

from kubewright.errors import ConfigError
from kubewright.scaffold.project import Project
from kubewright.scaffold.wanted import (
    Wanted,
    check_new_kind,
    find_resource,
    foreign_resource,
    hint_for,
    new_resource,
)

SHOP = Wanted(group="shop", version="v1", kind="Shop")


@pytest.fixture
def project() -> Project:
    """Make a project with a kind."""
    made = Project(domain="example.com", project_name="town", repo="town")
    made.put(new_resource(made, SHOP))
    return made


def test_a_new_kind_is_in_the_groups_of_the_project(project: Project) -> None:
    """The domain makes it unique in the world."""
    made = new_resource(
        project, Wanted(group="shop", version="v1", kind="Street", plural="streets")
    )

    assert (made.api_group, made.plural, made.path) == (
        "shop.example.com", "", "town.api.v1.street",
    )  # fmt: skip


def test_a_kind_is_found_by_the_first_word_of_its_group_or_by_all_of_it(project: Project) -> None:
    """Both are names that people know it by."""
    whole = Wanted(group="shop.example.com", version="v1", kind="Shop")

    assert find_resource(project, SHOP) is find_resource(project, whole) is project.resources[0]
    assert find_resource(project, Wanted(group="shop", version="v2", kind="Shop")) is None


def test_a_kind_of_others_may_have_a_class_or_not() -> None:
    """With the module of one, the code is typed."""
    made = foreign_resource(
        Wanted(group="cert-manager", version="v1", kind="Issuer", domain="io", path="certs.v1")
    )

    assert made is not None
    assert (made.api_group, made.path, made.external) == ("cert-manager.io", "certs.v1", True)


@pytest.mark.parametrize("path", ["not.a.module", "certs/v1", "certs..v1", "1st"])
def test_a_module_of_others_can_be_imported(path: str) -> None:
    """The code would not load."""
    wanted = Wanted(group="cert-manager", version="v1", kind="Issuer", domain="io", path=path)

    with pytest.raises(ConfigError, match="is not a Python module"):
        foreign_resource(wanted)


def test_a_kind_of_kubernetes_needs_no_more_than_its_names() -> None:
    """Its class is in the package."""
    made = foreign_resource(Wanted(group="apps", version="v1", kind="Deployment"))

    assert made is not None
    assert (made.core, made.path, made.api) == (True, "kubewright.kinds.apps.v1", None)
    assert foreign_resource(SHOP) is None


@pytest.mark.parametrize(
    ("wanted", "fault"),
    [
        (Wanted(group="cert", version="v1", kind="I", domain="IO"), "--domain io"),
        (Wanted(group="cert", version="v1", kind="I", domain="io", path="a/b"), "a Python module"),
        (Wanted(group="a.b", version="v1", kind="I", domain="io"), "it has a dot"),
    ],
)
def test_kinds_of_others_that_cannot_be_are_refused(wanted: Wanted, fault: str) -> None:
    """The reconciler would never see an object."""
    with pytest.raises(ConfigError, match=fault):
        foreign_resource(wanted)


@pytest.mark.parametrize(
    ("wanted", "fault"),
    [
        (Wanted(group="cache", version="v1", kind="Cache"), "`kubewright edit --multigroup`"),
        (Wanted(group="shop", version="v1", kind="Stall", plural="shops"), "which Shop of"),
        (Wanted(group="shop", version="v1", kind="SHOP", plural="shoppes"), "the same word"),
        (Wanted(group="shop", version="v2", kind="Shop", plural="shoppes"), "--plural shops"),
        (
            Wanted(group="shop", version="v2", kind="Shop", namespaced=False),
            "is namespaced in version v1; all versions are the same. Say --namespaced",
        ),
    ],
)
def test_kinds_that_do_not_fit_together_are_refused(
    project: Project, wanted: Wanted, fault: str
) -> None:
    """The server would refuse the CRD, or kubectl find the wrong kind."""
    with pytest.raises(ConfigError, match=fault):
        check_new_kind(project, new_resource(project, wanted))


@pytest.mark.parametrize(
    ("wanted", "hint"),
    [
        (Wanted(group="shop", version="v2", kind="Shop"), " It has Shop in v1."),
        (Wanted(group="shop", version="v1", kind="Shopp"), " Did you mean Shop?"),
        (Wanted(group="shop", version="v1", kind="Memcached"), ""),
    ],
)
def test_what_was_probably_meant_is_said(project: Project, wanted: Wanted, hint: str) -> None:
    """Versions and kinds are mistyped every day."""
    assert hint_for(project, wanted) == hint


def test_names_are_checked_whatever_the_kind_is_of() -> None:
    """A typo in a kind of others is a typo, too."""
    with pytest.raises(ConfigError, match="--version v1"):
        Wanted(group="apps", version="1", kind="Deployment").check()
    with pytest.raises(ConfigError, match="--plural"):
        Wanted(group="apps", version="v1", kind="Deployment", plural="A").check()


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        (
            Wanted(group="", version="v1", kind="Shop"),
            "Missing option '--group': a kind has a group, a version and a kind",
        ),
        (
            Wanted(group="", version="v1", kind="Pod"),
            (
                "Missing option '--group': a kind has a group, a version and a kind. For the Pod of"
                " Kubernetes, say --group core"
            ),
        ),
        (
            Wanted(group="shop", version="v1", kind=""),
            "Missing option '--kind': a kind has a group, a version and a kind",
        ),
    ],
)
def test_a_name_that_was_left_out_is_asked_for(wanted: Wanted, said: str) -> None:
    """Nobody guesses that the group without a name is called core here."""
    with pytest.raises(ConfigError) as refused:
        wanted.check()

    assert str(refused.value) == said

import pytest

from kubewright.cli.project.codeless import new_kind, together
from kubewright.errors import ConfigError
from kubewright.scaffold.creation import Scaffold
from kubewright.scaffold.project import ANSIBLE, Project
from kubewright.scaffold.wanted import Wanted

WANTED = Wanted(group="web", version="v1", kind="Shop", namespaced=False)


@pytest.fixture
def project() -> Project:
    """Make a project without a kind."""
    return Project(domain="example.com", project_name="town", layout=[ANSIBLE])


def test_a_kind_is_as_it_is_wanted(project: Project) -> None:
    """A whole group is understood, too: people copy it from a manifest."""
    whole = Wanted(group="web.example.com", version="v1", kind="Shop", namespaced=False)

    made = new_kind(project, WANTED, what="role", force=False)

    assert (made.api_group, made.namespaced) == ("web.example.com", False)
    assert new_kind(project, whole, what="role", force=False) == made


def test_a_kind_is_there_once_and_in_one_version(project: Project) -> None:
    """Nothing converts between two of them, with --force either."""
    project.put(new_kind(project, WANTED, what="role", force=False))
    other = Wanted(group="web", version="v2", kind="Shop")

    with pytest.raises(ConfigError, match="Overwrite its files with --force"):
        new_kind(project, WANTED, what="role", force=False)
    with pytest.raises(ConfigError, match="in version v1, and one role is for it"):
        new_kind(project, other, what="role", force=True)
    assert new_kind(project, WANTED, what="role", force=True) == project.resources[0]


def test_a_project_with_its_first_kind_is_one_scaffold() -> None:
    """What the kind changes is new as well."""
    made = Scaffold(new={"a": "1", "shared": "made"})
    added = Scaffold(new={"b": "2"}, shared={"shared": "x", "c": "3"}, changed={"a": "4"})

    assert together(made, added).new == {"a": "4", "b": "2", "c": "3", "shared": "made"}

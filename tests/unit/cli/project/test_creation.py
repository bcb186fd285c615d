from pathlib import Path

import pytest

from kubewright.cli.project.creation import APIOptions
from kubewright.cli.project.creation import run as create
from kubewright.cli.project.folder import get_project
from kubewright.errors import ConfigError
from kubewright.scaffold.wanted import Wanted
from tests.unit.cli.project.running import run, tree_of

STREET = Wanted(group="shop", version="v1", kind="Street")


def api(group: str = "shop", version: str = "v1", kind: str = "Street", *more: str) -> str:
    """Run ``kubewright create api``."""
    return run(
        "create", "api", "--group", group, "--version", version, "--kind", kind, *more
    )  # fmt: skip


def test_a_kind_and_its_controller_are_added(project: Path) -> None:
    """Without a terminal, nothing is asked."""
    said = api()

    assert "create  town/api/v1/street.py\n" in said
    assert "create  town/controller/street.py\n" in said
    assert said.endswith("what the kind Street is, then make manifests test\n")
    found = get_project().project.find("shop", "v1", "Street")
    assert found is not None
    assert found.controller


def test_it_works_wherever_in_the_project_it_is_run(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Like git."""
    monkeypatch.chdir(project / "town/api")

    api()

    assert (project / "town/api/v1/street.py").is_file()


def test_the_user_is_asked_what_was_not_said(project: Path) -> None:
    """As kubebuilder asks."""
    asked: list[str] = []

    def ask(question: str, default: bool) -> bool:
        asked.append(question)
        return "class" in question and default

    create(APIOptions(wanted=STREET, manifests=False), ask=ask)
    create(
        APIOptions(
            wanted=Wanted(group="shop", version="v1", kind="Lane"), controller=True, manifests=False
        ),
        ask=ask,
    )

    assert asked == [
        "Make a class for the kind?", "Make a controller for it?", "Make a class for the kind?",
    ]  # fmt: skip
    assert not (project / "town/controller/street.py").exists()
    assert (project / "town/controller/lane.py").exists()


def test_a_controller_can_be_added_later(project: Path) -> None:
    """First the API, as kubebuilder's --controller=false."""
    api("shop", "v1", "Street", "--controller=false")

    said = api("shop", "v1", "Street", "--resource=false", "--controller")

    assert "create  town/controller/street.py\n" in said
    assert "street_admin_role" not in said


def test_a_second_version_has_no_controller_of_its_own(project: Path) -> None:
    """That of the first sees all objects; the message says what comes next."""
    said = api("shop", "v2", "Shop")

    assert "controller" not in said.partition("Next:")[0]
    assert "--version v1 --conversion --spoke v2" in said
    assert (
        "storage=False,  # objects are stored in v1"
        in (project / "town/api/v2/shop.py").read_text()
    )


def test_kinds_of_kubernetes_get_a_controller_only(project: Path) -> None:
    """Their classes are in the package."""
    api("apps", "v1", "Deployment")

    code = (project / "town/controller/deployment.py").read_text()
    assert "from kubewright.kinds.apps.v1 import Deployment\n" in code
    assert not (project / "town/api/v1/deployment.py").exists()


def test_a_kind_of_ones_own_may_be_called_like_one_of_kubernetes(project: Path) -> None:
    """The CronJob of kubebuilder's tutorial is in the group batch."""
    run("edit", "--multigroup")

    api("batch", "v1", "CronJob", "--resource", "--controller")

    found = get_project().project.find("batch", "v1", "CronJob")
    assert found is not None
    assert found.api_group == "batch.example.com"


def test_an_image_is_run_at_once(project: Path) -> None:
    """The controller works without a line of code."""
    api(
        "shop", "v1", "Cache", "--image", "memcached:1.6",
        "--image-container-command", "memcached,-m=64", "--image-container-port", "11211",
        "--run-as-user", "1001",
    )  # fmt: skip

    code = (project / "town/controller/cache.py").read_text()
    for part in ('"CACHE_IMAGE", "memcached:1.6"', '"-m=64",', "run_as_user=1001"):
        assert part in code
    assert "= 11211\n" in (project / "town/api/v1/cache.py").read_text()


def test_a_kind_is_made_again_when_forced(project: Path) -> None:
    """With other options, such as the scope."""
    api("shop", "v1", "Shop", "--force", "--no-namespaced")

    assert 'scope="Cluster",' in (project / "town/api/v1/shop.py").read_text()


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (("shop", "1", "Street"), "--version: '1' is not a version of an API"),
        (("shop", "v1", "street"), "--kind: 'street' is not in CamelCase"),
        (("shop.example.com", "v1", "Street"), "Say --group shop for shop.example.com"),
        (("cache", "v1", "Cache"), "`kubewright edit --multigroup`"),
        (("shop", "v1", "Street", "--plural", "Streets"), "--plural: 'Streets' is not a name"),
        (("shop", "v1", "Street", "--plural", "shops"), "which Shop of shop.example.com has"),
        (("shop", "v1", "Shop"), "the project has Shop of shop.example.com/v1 already"),
        (("shop", "v2", "Shop", "--controller"), "has a controller for another version already"),
        (("shop", "v2", "Shop", "--no-namespaced"), "all versions are the same"),
        (("shop", "v1", "Street", "--no-resource"), "there is no Street of v1 in the group shop"),
        (("shop", "v3", "Shop", "--no-resource"), "It has Shop in v1."),
        (("apps", "v1", "Deploymnet"), "Did you mean Deployment?"),
        (("apps", "v1beta1", "Deployment"), "Say --version v1"),
        (
            ("apps", "v1", "Deployment", "--no-controller"),
            "there is nothing to make for Deployment",
        ),
        (
            ("cert", "v1", "Issuer", "--resource", "--external-api-domain", "io"),
            "leave --resource out",
        ),
        (("shop", "v1", "Street", "--image-container-port", "80"), "goes with --image"),
        (("shop", "v1", "Street", "--image", "a b"), "--image: 'a b' is not an image"),
        (
            ("shop", "v1", "Street", "--image", "a", "--image-container-port", "0"),
            "'0' is not a number from 1 to 65535",
        ),
        (("shop", "v1", "Street", "--image", "a", "--run-as-user", "0"), "'0' is not a number"),
        (("shop", "v1", "Street", "--image", "a", "--no-controller"), "--image makes a class and"),
        (("shop", "v1", "Container", "--image", "a"), "the kind needs another name"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_is_written(
    words: tuple[str, str, str], fault: str, project: Path
) -> None:
    """The project is as it was."""
    before = tree_of(project)

    with pytest.raises(ConfigError) as refused:
        api(*words)

    assert fault in str(refused.value)
    assert tree_of(project) == before


def test_files_of_the_user_are_not_overwritten(project: Path) -> None:
    """A module of that name may be there for another reason."""
    (project / "town/controller/street.py").write_text("mine")

    with pytest.raises(ConfigError, match="these files are there already: town/controller/street"):
        api()


def test_it_needs_a_project(folder: Path) -> None:
    """The message says how to make one."""
    with pytest.raises(ConfigError, match="make one with `kubewright init`"):
        api()


def test_a_dry_run_writes_nothing(project: Path) -> None:
    """It says what would change."""
    before = tree_of(project)

    said = api("shop", "v1", "Street", "--dry-run")

    assert "would create  town/api/v1/street.py\n" in said
    assert "would update  PROJECT\n" in said
    assert tree_of(project) == before


def test_ends_of_lines_stay(project: Path) -> None:
    """Git shows the line that was added, and no other."""
    place = project / "config/samples/kustomization.yaml"
    before = place.read_bytes().replace(b"\n", b"\r\n")
    place.write_bytes(before)

    api(kind="Cart")

    after = place.read_bytes().splitlines(keepends=True)
    assert len(after) == before.count(b"\r\n") + 1
    assert all(line.endswith(b"\r\n") for line in after)


def test_a_shared_kustomization_stays_a_link(project: Path) -> None:
    """It is the file that is shared that gets the entry."""
    place, shared = project / "config/rbac/kustomization.yaml", project / "shared/rbac.yaml"
    shared.parent.mkdir()
    place.rename(shared)
    place.symlink_to("../../shared/rbac.yaml")

    api(kind="Cart")

    assert place.is_symlink()
    assert "- cart_admin_role.yaml\n" in shared.read_text()


def test_what_people_wrote_into_a_kustomization_is_not_lost(project: Path) -> None:
    """The command says what to add by hand, and is run again after that."""
    place = project / "config/rbac/kustomization.yaml"
    place.write_text("{resources: [service_account.yaml, role.yaml], namePrefix: keep-}\n")
    before = tree_of(project)

    with pytest.raises(ConfigError, match=r"to resources in config/rbac/kustomization\.yaml and"):
        api(kind="Cart")

    assert tree_of(project) == before

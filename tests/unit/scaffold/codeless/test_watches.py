import pytest

from kubewright.errors import ConfigError
from kubewright.scaffold.codeless.watches import with_watch
from kubewright.scaffold.project import ProjectResource

SHOP = ProjectResource(kind="Shop", version="v1", group="town", domain="example.com")
ENTRY = "- group: town.example.com\n  version: v1\n  kind: Shop\n  chart: helm-charts/shop\n"
OTHER = "- kind: Other  # theirs\n  version: v1\n  group: a.b\n  chart: x\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", ENTRY),
        ("# none yet\n", f"# none yet\n{ENTRY}"),
        ("---\n[]\n", f"---\n{ENTRY}"),
        (f"{OTHER}  # the end\n", f"{OTHER}{ENTRY}  # the end\n"),
        (f"# all\n{OTHER}\n# later\n", f"# all\n{OTHER}{ENTRY}\n# later\n"),
        (ENTRY, ENTRY),
    ],
)
def test_an_entry_is_added_and_all_else_stays(before: str, after: str) -> None:
    """People write comments there, and options of a watch."""
    assert with_watch(before, SHOP, {"chart": "helm-charts/shop"}) == after


@pytest.mark.parametrize(
    ("before", "fault"),
    [
        ("a: 1\n", "cannot add 'group: town.example.com' to watches.yaml, which is not a list"),
        ("[{a: 1}]\n", "which is not a list with an item on each line"),
        ("- [\n", r"^watches\.yaml:2: this is not YAML: expected the node content"),
        (ENTRY.replace("helm-charts", "other"), "watches.yaml has the kind Shop already, with the"),
    ],
)
def test_a_file_that_is_something_else_is_refused(before: str, fault: str) -> None:
    """It would be broken afterwards, or say two things of one kind."""
    with pytest.raises(ConfigError, match=fault):
        with_watch(before, SHOP, {"chart": "helm-charts/shop"})


def test_what_yaml_would_read_otherwise_is_quoted() -> None:
    """A chart may be called 1e3."""
    made = with_watch("", SHOP, {"chart": "1e3"})

    assert "chart: '1e3'\n" in made

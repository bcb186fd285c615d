import pytest

from kubewright.errors import ConfigError
from kubewright.scaffold.listing import has_entry, with_entry, with_item

TEXT = """\
# Mine.
resources:
- a.yaml  # first
  # commented out:
#- b.yaml

patches:
  - path: p.yaml
    target:
      kind: Deployment
"""


def test_an_entry_goes_to_the_end_of_its_list_and_all_else_stays() -> None:
    """People edit these files, and comment things out."""
    after = with_entry(TEXT, "resources", "c.yaml", place="k")

    assert after == TEXT.replace("# first\n", "# first\n- c.yaml\n")


def test_an_entry_of_several_lines_is_indented_like_the_others() -> None:
    """Patches have a target."""
    entry = "path: q.yaml\ntarget:\n  kind: Service"

    after = with_entry(TEXT, "patches", entry, place="k")

    added = "  - path: q.yaml\n    target:\n      kind: Service\n"
    assert after == TEXT + added
    assert has_entry(after, "patches", entry)


def test_an_entry_that_is_there_is_not_added_again() -> None:
    """Commands are run twice."""
    assert with_entry(TEXT, "resources", "a.yaml", place="k") == TEXT


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "\nresources:\n- a\n"),
        ("x: 1\n", "x: 1\n\nresources:\n- a\n"),
        ("resources: []\nx: 1\n", "resources:\n- a\nx: 1\n"),
        ("resources:\nx: 1\n", "resources:\n- a\nx: 1\n"),
        ("resources: [b, c]\n", "resources:\n- b\n- c\n- a\n"),
        ("resources:\n- b", "resources:\n- b\n- a\n"),
        ("resources: # why\nx: 1\n", "resources: # why\n- a\nx: 1\n"),
        ("resources: []  # why", "resources:  # why\n- a\n"),
        ("resources: ['*.b', '- c'] # why\n", "resources: # why\n- '*.b'\n- '- c'\n- a\n"),
        ("  resources: ~\n", "  resources:\n  - a\n"),
        ("resources:\r\n- b # c\r\n\r\nx: 1\r\n", "resources:\r\n- b # c\r\n- a\r\n\r\nx: 1\r\n"),
        ("x: 1\r\n", "x: 1\r\n\r\nresources:\r\n- a\r\n"),
        ("resources:\n- |\n  b\n  # no\n\n", "resources:\n- |\n  b\n  # no\n\n- a\n"),
        ("resources:\n- 'b\n\n  # no'\n# c\n", "resources:\n- 'b\n\n  # no'\n- a\n# c\n"),
        ("\ufeffresources:\n- b\n", "\ufeffresources:\n- b\n- a\n"),
    ],
)
def test_the_list_may_be_missing_empty_or_on_one_line(before: str, after: str) -> None:
    """Other tools write it in other ways."""
    assert with_entry(before, "resources", "a", place="k") == after


@pytest.mark.parametrize(
    "text",
    [
        "{resources: [b, c], namePrefix: keep-}\n",
        "{resources: [], namePrefix: keep-}\n",
        "{namePrefix: keep-}\n",
        "resources: &x [b]\npatches: *x\n",
        "resources: &x [b]\n",
        "resources:\n- &x b\n- *x\n",
        "resources: [b,  # why\n  c]\n",
        "resources: # why\n  [b]  # so\n",
        "resources: [{b: c}]\n",
        "resources: [b]\nresources: [c]\n",
        "x: 1\n...\n",
        "x: |+\n  b\n",
        "x: &x {resources: [b]}\n<<: *x\n",
    ],
)
def test_what_cannot_be_added_without_harm_is_left_to_people(text: str) -> None:
    """Something else that they wrote would be lost, or the file would not be YAML any more."""
    with pytest.raises(ConfigError, match=r"^cannot add 'a' to resources in k and leave all else"):
        with_entry(text, "resources", "a", place="k")


@pytest.mark.parametrize("text", ["- a\n", "resources: {a: 1}\n", "resources: a\n", "a: [\n"])
def test_what_has_no_such_list_is_not_touched(text: str) -> None:
    """The message says what to add by hand, and where."""
    with pytest.raises(ConfigError) as refused:
        with_entry(text, "resources", "a.yaml", place="config/crd/kustomization.yaml")

    assert "cannot add 'a.yaml' to resources in config/crd/kustomization.yaml" in str(refused.value)


def test_an_item_goes_to_the_end_of_a_document_that_is_a_list() -> None:
    """Its indentation is that of the others, and comments stay where they are."""
    before = "# all\n  - a: 1  # first\n\n# the end\n"

    after = with_item(before, "b: 2\nc: 3\n", place="k")

    assert after == "# all\n  - a: 1  # first\n  - b: 2\n    c: 3\n\n# the end\n"


@pytest.mark.parametrize("text", ["a: 1\n", "[1, 2]\n", "- [\n", "x\n"])
def test_what_is_not_such_a_list_gets_no_item(text: str) -> None:
    """The message names the file."""
    with pytest.raises(ConfigError, match=r"k(:| is not YAML|, which is not a list)"):
        with_item(text, "b: 2", place="k")

"""What every ``watches.yaml`` has, whatever works for its kinds."""

from pathlib import Path

import pytest

from kubewright.api.kind_reference import Kind
from kubewright.application.watchfile import (
    COMMON_FIELDS,
    find_twice,
    name_of_folder,
    watch_entries,
)
from kubewright.errors import ConfigError

EXAMPLE = "- kind: Shop"


def test_entries_know_their_lines(tmp_path: Path) -> None:
    """Errors about them name the file, the line and what to write."""
    file = tmp_path / "watches.yaml"
    file.write_text("- version: v1\n  kind: A\n- version: v1\n  kind: B\n  selector: {x: 1}\n")

    first, second = watch_entries(file, example=EXAMPLE)

    first.check(COMMON_FIELDS, ["version", "kind"])
    assert first.kind() == Kind("v1", "A")
    assert str(second.error("kind", "wrong")) == f"{file}:4: wrong"
    with pytest.raises(ConfigError, match=r"watches\.yaml:5: a selector has matchLabels"):
        second.selector()
    with pytest.raises(ConfigError, match="chart is missing: write `chart: …`"):
        first.check(COMMON_FIELDS, ["chart"])


def test_text_can_be_changed_before_it_is_read(tmp_path: Path) -> None:
    """Variables may stand anywhere in it."""
    file = tmp_path / "watches.yaml"
    file.write_text("- kind: ${KIND}\n")

    (entry,) = watch_entries(
        file, example=EXAMPLE, expand=lambda text: text.replace("${KIND}", "Shop")
    )

    assert entry.values == {"kind": "Shop"}


@pytest.mark.parametrize(
    ("text", "message"),
    [("{}", ":1: it is not a list"), ("- a", ":1: it is not a mapping"), ("- [", ":1")],
)
def test_what_is_no_list_of_mappings_is_refused(tmp_path: Path, text: str, message: str) -> None:
    """With an example of an entry."""
    file = tmp_path / "watches.yaml"
    file.write_text(text)

    with pytest.raises(ConfigError, match=message):
        watch_entries(file, example=EXAMPLE)


def test_versions_of_a_kind_are_one_kind() -> None:
    """An object of one is an object of the other."""
    found = find_twice([Kind("a.b/v1", "A"), Kind("a.b/v2", "A")])

    assert "is there twice, as v1 and v2" in found
    assert find_twice([Kind("a.b/v1", "A"), Kind("c.d/v1", "A")]) == ""


def test_folder_gives_a_name_that_dns_allows() -> None:
    """A folder may be called anything."""
    assert name_of_folder(Path("/x/My Shop!"), "other") == "my-shop"
    assert name_of_folder(Path("/"), "other") == "other"

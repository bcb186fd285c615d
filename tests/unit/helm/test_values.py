"""Values that lie over those of the user."""

import pytest

from kubewright.errors import ConfigError
from kubewright.helm.values import expanded, large_numbers, overridden, set_text


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("$TAG", "1.2"),
        ("v${TAG}-x", "v1.2-x"),
        ('{{ env "TAG" }}', "1.2"),
        ('{{env "NONE" | default "latest"}}', "latest"),
        ("$NONE", ""),
        ("plain", "plain"),
    ],
)
def test_variables_of_the_environment_are_filled_in(text: str, found: str) -> None:
    """In each of the ways in which files for operator-sdk have them."""
    assert expanded(text, {"TAG": "1.2"}) == found


def test_other_templates_are_refused() -> None:
    """Better than a chart that gets the template as its value."""
    with pytest.raises(ConfigError, match="only"):
        expanded("{{ upper .X }}", {})


def test_paths_lead_into_mappings_and_lists() -> None:
    """As with ``helm --set-string``; the values of the user stay as they are."""
    values = {"image": {"tag": "1"}, "hosts": [{"name": "a"}]}

    found = overridden(
        values,
        {"image.repository": "here", "hosts[1].name": "b", r"labels.a\.b/c": "d", "tags": "{x, y}"},
    )

    assert found == {
        "image": {"tag": "1", "repository": "here"},
        "hosts": [{"name": "a"}, {"name": "b"}],
        "labels": {"a.b/c": "d"},
        "tags": ["x", "y"],
    }
    assert values == {"image": {"tag": "1"}, "hosts": [{"name": "a"}]}


def test_path_that_does_not_fit_is_refused() -> None:
    """It would silently replace what the user has written."""
    with pytest.raises(ConfigError, match="does not fit the values"):
        overridden({"hosts": ["a"]}, {"hosts.name": "b"})


def test_large_numbers_are_given_one_by_one() -> None:
    """Names and places as ``helm --set`` reads them."""
    values = {"a.b": [{"n": 5000000}, -2000000], "small": 5, "yes": True, "f": 1e7, "huge": 2**63}

    assert list(large_numbers(values)) == [r"a\.b[0].n=5000000", r"a\.b[1]=-2000000"]


@pytest.mark.parametrize("path", ["", "a..b", ".a", "a.", "[0]", "a[99999999]", "a[0][70000].b"])
def test_path_that_is_none_is_refused(path: str) -> None:
    """One place more, and the list would fill the memory."""
    with pytest.raises(ConfigError, match="the override"):
        set_text({}, path, "x")

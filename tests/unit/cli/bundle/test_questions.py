"""Questions about a new operator."""

import pytest

from kubewright.bundle.base import Metadata
from kubewright.cli.bundle.questions import ask, read_maintainers
from kubewright.errors import ConfigError
from tests.unit.cli.bundle.place import feed


def test_only_what_is_missing_is_asked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Options are answers, too."""
    feed(monkeypatch, "Sells things.\nhttps://example.com\na, b\nAnn:ann@example.com\n")

    found = ask(Metadata(display_name="Shop", provider="Example"))

    assert found == Metadata(
        "Shop", "Sells things.", "Example", "https://example.com", ("a", "b"),
        {"Ann": "ann@example.com"},
    )  # fmt: skip
    assert "Display name" not in capsys.readouterr().out


@pytest.mark.parametrize("word", ["Ann", "Ann:", ":a@b.c", "Ann:ann"])
def test_a_maintainer_has_a_name_and_an_address(word: str) -> None:
    """A catalog refuses others."""
    with pytest.raises(ConfigError, match="should be NAME:EMAIL, such as Ann"):
        read_maintainers([word])

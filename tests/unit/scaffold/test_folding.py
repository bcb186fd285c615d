import pytest

from kubewright.scaffold.folding import WIDTH, folded

LONG = "a_name_of_forty_characters_or_thereabout"


def test_lines_that_fit_stay() -> None:
    """Most names are short."""
    line = "x = f(" + "a" * (WIDTH - 7) + ")\n"

    assert folded(line) == line


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            f"    spec: {LONG} = kw.field(default_factory={LONG})\n",
            f"    spec: {LONG} = kw.field(\n        default_factory={LONG}\n    )\n",
        ),
        (
            f"async def reconcile({LONG}: {LONG}, c: Context) -> None:\n",
            f"async def reconcile(\n    {LONG}: {LONG}, c: Context\n) -> None:\n",
        ),
        (
            f"def from_v2(old: v2.{LONG}) -> {LONG}{LONG[:9]}:\n",
            f"def from_v2(\n    old: v2.{LONG},\n) -> {LONG}{LONG[:9]}:\n",
        ),
        (
            f'f("{LONG}, {LONG}", g({LONG}, {LONG}))\n',
            f'f(\n    "{LONG}, {LONG}",\n    g({LONG}, {LONG}),\n)\n',
        ),
    ],
)
def test_long_lines_are_broken_as_formatters_break_them(line: str, expected: str) -> None:
    """``ruff format --check`` is part of ``make lint`` in each project."""
    assert folded(line) == expected


@pytest.mark.parametrize("line", [f'    """{LONG * 3}."""\n', f"# ({LONG * 3})\n", f"{LONG * 3}\n"])
def test_texts_and_lines_without_brackets_stay(line: str) -> None:
    """There is nowhere to break them."""
    assert folded(line) == line

"""Draw docs/house.svg: every package by layer, with the folders inside of it.

    python tools/draw_house.py            # writes the picture
    python tools/draw_house.py --check    # says whether it is up to date

The layers come from the import contract in pyproject.toml, the purposes from the layer table in
docs/architecture.md, and the folders from the source tree, so the picture cannot tell another story
than the code.
"""

import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from textwrap import wrap

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "kubewright"
PICTURE = ROOT / "docs" / "house.svg"

WIDTH, MARGIN, GAP, PADDING = 1180, 24, 10, 12
TITLE = 15  # font size of names; that of text is 12.5
LINE = 17  # height of a line of text
CHARACTER = 6.35  # width of an average one
BESIDE = 140  # from the name of a package to its text, where that stands beside it

FILLS = {
    "front": ("#eef0fd", "#5a67c8"),
    "runtime": ("#e6f3fb", "#2b7fb8"),
    "judge": ("#fdf1dd", "#c07a12"),
    "values": ("#e7f6ec", "#2f8a52"),
    "ground": ("#f2f3f5", "#7a818c"),
}
LEGEND = {
    "front": "what you use first",
    "runtime": "what an operator runs on",
    "judge": "the API server, which shares no code with the runtime",
    "values": "values: no I/O, no asyncio",
    "ground": "foundations",
}
SORTS = {
    "front": ("cli", "testing", "embedded", "operator", "application"),
    "runtime": ("manager", "controller", "webhook", "cluster", "cache", "client", "runs"),
    "judge": ("apiserver",),
    "values": ("crd", "kinds", "api"),
}
WEIGHTS = {"apiserver": 1.6}  # has the most rooms


@dataclass(frozen=True)
class Box:
    """A package, as wide as its layer allows; one that is alone has its text beside its name."""

    name: str
    purpose: list[str]
    rooms: list[str]
    width: float
    alone: bool

    @property
    def height(self) -> float:
        """Return the height that all its lines need."""
        lines = len(self.purpose) + len(self.rooms)
        return PADDING * 1.6 + TITLE + LINE * (max(lines - 1, 0) if self.alone else lines)


def layers() -> list[list[str]]:
    """Return the packages of each layer, from the top down."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    contracts = settings["tool"]["importlinter"]["contracts"]
    found = next(one["layers"] for one in contracts if one["type"] == "layers")
    return [re.split(r"\s*\|\s*", layer) for layer in found if layer != "__main__"]


def purposes() -> dict[str, str]:
    """Return what each package is for, in the words of docs/architecture.md."""
    page = (ROOT / "docs" / "architecture.md").read_text()
    block = page.partition("```text\n")[2].partition("```")[0]
    found: dict[str, str] = {}
    name = ""
    for line in block.splitlines():
        if single := re.match(r"(\w+)\s{2,}(\S.*)", line):
            name, found[single[1]] = single[1], single[2]
        elif own := re.match(r"\s+(\w+): (.*)", line):
            name, found[own[1]] = own[1], own[2]
        elif line.startswith(" ") and name:
            found[name] += f" {line.strip()}"
    return found


def rooms(package: str) -> list[str]:
    """Return the folders inside of a package; those of `kinds` are API groups, and too many."""
    if package == "kinds":
        return []
    folder = SOURCE / package
    return sorted(path.parent.name for path in folder.glob("*/__init__.py"))


def boxes(names: list[str], told: dict[str, str]) -> list[Box]:
    """Return the boxes of one layer, side by side."""
    free = WIDTH - 2 * MARGIN - GAP * (len(names) - 1)
    weights = [WEIGHTS.get(name, 1.0) for name in names]
    made = []
    for name, weight in zip(names, weights, strict=True):
        width = free * weight / sum(weights)
        alone = len(names) == 1
        columns = int((width - 2 * PADDING - BESIDE * alone) / CHARACTER)
        inside = rooms(name)
        text = wrap(told.get(name, ""), columns)
        listed = wrap(" · ".join(inside), columns)
        made.append(Box(name, text, listed, width, alone))
    return made


def sort_of(package: str) -> str:
    """Return what sort of package it is, which decides its colour."""
    return next((sort for sort, names in SORTS.items() if package in names), "ground")


def drawn(box: Box, x: float, y: float, height: float) -> Iterator[str]:
    """Yield the SVG of *box*."""
    fill, edge = FILLS[sort_of(box.name)]
    yield (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{box.width:.1f}" height="{height:.1f}" rx="7" '
        f'fill="{fill}" stroke="{edge}"/>'
    )
    left, line = x + PADDING, y + PADDING + TITLE * 0.75
    yield f'<text x="{left:.1f}" y="{line:.1f}" class="name" style="fill: {edge}">{box.name}</text>'
    if box.alone:
        left, line = left + BESIDE, line - LINE
    for text in box.purpose:
        line += LINE
        yield f'<text x="{left:.1f}" y="{line:.1f}">{escape(text)}</text>'
    for text in box.rooms:
        line += LINE
        yield f'<text x="{left:.1f}" y="{line:.1f}" class="rooms">{escape(text)}</text>'


def legend(y: float) -> Iterator[str]:
    """Yield what the colours mean."""
    x = float(MARGIN)
    for sort, text in LEGEND.items():
        fill, edge = FILLS[sort]
        yield (
            f'<rect x="{x:.1f}" y="{y:.1f}" width="14" height="14" rx="3" fill="{fill}" '
            f'stroke="{edge}"/>'
        )
        yield f'<text x="{x + 21:.1f}" y="{y + 11:.1f}">{text}</text>'
        x += 21 + len(text) * CHARACTER + 22


def picture() -> str:
    """Return the whole picture."""
    told, y = purposes(), float(MARGIN)
    parts: list[str] = []
    for names in layers():
        row = boxes(names, told)
        height = max(box.height for box in row)
        x = float(MARGIN)
        for box in row:
            parts += drawn(box, x, y, height)
            x += box.width + GAP
        y += height + GAP
    parts += legend(y + GAP)
    bottom = y + GAP + 14 + MARGIN
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {bottom:.0f}" '
        'role="img" aria-labelledby="title">\n'
        '<title id="title">The packages of Kubewright by layer; imports point down only</title>\n'
        "<style>text { font: 12.5px system-ui, sans-serif; fill: #333a44 } "
        ".name { font: bold 15px ui-monospace, monospace } "
        ".rooms { font-style: italic; fill: #667080 }</style>\n"
        f'<rect width="{WIDTH}" height="{bottom:.0f}" rx="10" fill="#ffffff"/>\n'
    )
    return head + "\n".join(parts) + "\n</svg>\n"


def main() -> int:
    """Write the picture, or with ``--check`` compare it."""
    new = picture()
    if "--check" in sys.argv[1:]:
        same = PICTURE.exists() and PICTURE.read_text() == new
        print(f"{PICTURE.name} is {'up to date' if same else 'old: run `make house`'}")
        return 0 if same else 1
    PICTURE.write_text(new)
    print(f"wrote {PICTURE.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

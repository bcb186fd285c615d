"""Write the API reference, one page for each public package, from signatures and docstrings.

    python tools/generate_api_reference.py

It reads the sources and imports nothing, so that the pages are the same for every version of
Python, with annotations and defaults as they are written.
"""

import ast
import re
import sys
from pathlib import Path

if not __package__:  # run as a script: the folder above `tools` is where its modules are found
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tools.apiref.entry import class_entry, constant_entry, function_entry  # needs the path
from tools.apiref.markdown import joined, prose  # needs the path
from tools.apiref.source import (  # needs the path
    PACKAGE,
    ROOT,
    Found,
    Function,
    exports,
    find,
    module,
    packages,
)

PAGES = ROOT / "docs" / "reference" / "api"


def title(found: Found) -> str:
    """Return the heading of an entry; a class and a function of one name differ in it."""
    if isinstance(found.node, ast.ClassDef):
        return f"class `{found.name}`"
    return f"`{found.name}()`" if isinstance(found.node, Function) else f"`{found.name}`"


def anchor(heading: str) -> str:
    """Return the anchor that GitHub makes of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def entries(package: str) -> dict[str, Found]:
    """Return everything that *package* exports.

    Raises:
        LookupError: Something is in ``__all__`` and nowhere else.
    """
    where = module(package)
    assert where is not None
    result = {}
    for name in exports(where):
        found = find(where, name)
        if found is None:
            raise LookupError(f"{package}.{name} is not defined anywhere")
        result[name] = found
    return result


def package_page(package: str, public: frozenset[str]) -> str:
    """Return the page of a package: its docstring, and an entry for each name."""
    where = module(package)
    assert where is not None
    lines = [f"# {package}", "", *prose(ast.get_docstring(where.tree) or "")]
    for found in entries(package).values():
        lines += entry(found, public)
    return "\n".join(lines).rstrip() + "\n"


def entry(found: Found, public: frozenset[str]) -> list[str]:
    """Return the lines about one name."""
    heading = [f"## {title(found)}", ""]
    if isinstance(found.node, ast.ClassDef):
        return [*heading, *class_entry(found, public)]
    if isinstance(found.node, Function):
        return [*heading, *function_entry(found)]
    return [*heading, *constant_entry(found)]


def front_page(others: dict[str, dict[str, Found]], public: frozenset[str]) -> str:
    """Return the page of ``kubewright``: each name leads to its package, or to an entry here."""
    where = module(PACKAGE)
    assert where is not None
    lines = [f"# {PACKAGE}", "", *prose(ast.get_docstring(where.tree) or "")]
    lines += ["| name | what it is |", "| --- | --- |"]
    here = []
    for name, found in entries(PACKAGE).items():
        first = joined(found.doc.partition("\n\n")[0]).replace("|", "\\|")
        page = _page_of(found, others)
        lines.append(f"| [`{name}`]({page}#{anchor(title(found))}) | {first} |")
        here += [] if page else entry(found, public)
    return "\n".join([*lines, "", *here]).rstrip() + "\n"


def _page_of(found: Found, others: dict[str, dict[str, Found]]) -> str:
    for package, exported in others.items():
        same = exported.get(found.name)
        if same and same.node is found.node:
            return f"{package}.md"
    return ""


def index_page(names: list[str]) -> str:
    """Return the page that leads to the others."""
    lines = ["# API reference", "", "Every public name, from its docstring.", ""]
    lines += ["Made by `make reference`; never edited by hand.", ""]
    for name in names:
        where = module(name)
        assert where is not None
        first = (ast.get_docstring(where.tree) or "").partition("\n\n")[0]
        lines.append(f"- [{name}]({name}.md): {joined(first)}")
    return "\n".join(lines) + "\n"


def pages() -> dict[str, str]:
    """Return all pages, by the names of their files."""
    names = packages()
    others = {name: entries(name) for name in names if name != PACKAGE}
    public = frozenset(name for exported in others.values() for name in exported)
    result = {f"{name}.md": package_page(name, public) for name in others}
    result[f"{PACKAGE}.md"] = front_page(others, public)
    result["README.md"] = index_page(names)
    return result


def main() -> None:
    """Write the pages, and remove those of packages that are gone."""
    PAGES.mkdir(parents=True, exist_ok=True)
    wanted = pages()
    for path in PAGES.glob("*.md"):
        if path.name not in wanted:
            path.unlink()
    for name, text in wanted.items():
        (PAGES / name).write_text(text)


if __name__ == "__main__":
    main()

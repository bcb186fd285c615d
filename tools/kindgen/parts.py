"""How a large module is split into files: one for each kind with its parts, one for the rest."""

from collections import defaultdict
from functools import cached_property

from tools.kindgen.document import Document
from tools.kindgen.facts import SPLIT
from tools.kindgen.fields import Fields
from tools.kindgen.names import module_of, short

SHARED = "_shared"
"""The file of what several kinds are made of, or none."""


class Parts:
    """Knows the file of each definition of the modules in `SPLIT`."""

    def __init__(self, document: Document, fields: Fields) -> None:
        self._document = document
        self._fields = fields

    def place(self, name: str) -> str:
        """Return the module in whose text *name* is defined, within ``kubewright.kinds``."""
        module = module_of(name)
        return f"{module}.{self._files[name]}" if module in SPLIT else module

    @cached_property
    def _files(self) -> dict[str, str]:
        used: dict[str, set[str]] = defaultdict(set)
        for name in self._document.definitions:
            if module_of(name) in SPLIT and self._document.is_resource(name):
                same = SPLIT[module_of(name)].get(short(name), short(name))
                self._spread(name, f"_{same.lower()}", used)
        return {name: self._file(name, used) for name in self._document.definitions}

    def _file(self, name: str, used: dict[str, set[str]]) -> str:
        if self._document.is_list(name):
            name = next(ref for ref in sorted(self._refs(name)) if self._document.is_resource(ref))
        return min(used[name]) if len(used[name]) == 1 else SHARED

    def _spread(self, name: str, file: str, used: dict[str, set[str]]) -> None:
        if file not in used[name]:
            used[name].add(file)
            for ref in self._refs(name):
                self._spread(ref, file, used)

    def _refs(self, name: str) -> set[str]:
        return {ref for made in self._fields.of(name) for ref in made.shape.refs}

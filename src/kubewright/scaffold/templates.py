"""`Templates`: the templates of one version, as files of a scaffold.

A template of a part, such as ``init``, lies where its file will be, with names in braces in its
path. One that comes out empty is left out. Templates of old versions stay, so that projects that
were made with them can be brought up to date.
"""

import json
from functools import cached_property
from importlib import resources
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, Any

from kubewright.errors import ConfigError
from kubewright.scaffold.folding import folded

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["CHART", "CURRENT", "PLAYBOOK", "ROLE", "VERSIONS", "Templates", "minimum_of"]

VERSIONS: tuple[str, ...] = ("0.1",)
"""The versions whose templates are kept, oldest first."""
CURRENT: str = VERSIONS[-1]
CHART: str = "helm-chart"
ROLE: str = "ansible-role"
PLAYBOOK: str = "ansible-playbook"
_NESTED = {CHART, ROLE, PLAYBOOK}
"""Parts whose files have templates of helm or Ansible in them; their own are ``<< name >>``."""
_ENDING = ".j2"


def minimum_of(version: str) -> str:
    """Return the oldest version of the package that projects of the templates *version* need."""
    return f"{version or CURRENT}.0.dev0"


class Templates:
    """The templates of a version.

    Args:
        version: One of `VERSIONS`; empty for the current one.
        root: Where they are; by default, in this package.

    Raises:
        ConfigError: They are not kept here.
    """

    def __init__(self, version: str = CURRENT, *, root: Traversable | None = None) -> None:
        version = version or CURRENT
        if version not in VERSIONS and root is None:
            raise ConfigError(
                f"there are no templates of version {version!r} in this kubewright, only of"
                f" {', '.join(VERSIONS)}; newer ones come with a newer kubewright"
            )
        home = root if root is not None else resources.files(__package__) / "templates"
        self.version: str = version
        self._root = home / version

    def render(self, part: str, context: dict[str, Any]) -> dict[str, str]:
        """Return the files of *part*, by path.

        Raises:
            jinja2.UndefinedError: A template names what *context* lacks.
        """
        environment = self._nested_environment if part in _NESTED else self._environment
        found: dict[str, str] = {}
        for path, template in sorted(_templates(self._root / part)):
            text = environment.from_string(template.read_text("utf-8")).render(context)
            if text.strip():
                found[path.format_map(context)] = (
                    folded(text) if ".py.j2" in template.name else text
                )
        return found

    @cached_property
    def _environment(self) -> "Environment":
        from jinja2 import Environment, FunctionLoader, StrictUndefined

        environment = Environment(  # noqa: S701  # no HTML comes out of it
            loader=FunctionLoader(lambda name: (self._root / name).read_text("utf-8")),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
        )
        environment.filters["json"] = lambda value: json.dumps(value, ensure_ascii=False)
        return environment

    @cached_property
    def _nested_environment(self) -> "Environment":
        """Return what renders templates that are templates afterwards, too."""
        from jinja2 import Environment, StrictUndefined

        return Environment(  # noqa: S701  # no HTML comes out of it
            undefined=StrictUndefined,
            variable_start_string="<<",
            variable_end_string=">>",
            block_start_string="<%",
            block_end_string="%>",
            comment_start_string="<#",
            comment_end_string="#>",
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
        )


def _templates(folder: Traversable, path: str = "") -> list[tuple[str, Traversable]]:
    found: list[tuple[str, Traversable]] = []
    for one in folder.iterdir():
        name = f"{path}/{one.name}" if path else one.name
        if one.is_dir():
            found += _templates(one, name)
        elif name.endswith(_ENDING):
            found.append((name.removesuffix(_ENDING), one))
    return found

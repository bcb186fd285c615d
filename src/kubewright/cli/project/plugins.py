"""The plugins of projects: what ``--plugins`` takes."""

from kubewright.errors import ConfigError
from kubewright.scaffold.project import ANSIBLE, HELM, LAYOUT

__all__ = ["PLUGINS", "layout_of"]

PLUGINS: dict[str, str] = {
    "": LAYOUT,
    "helm": HELM,
    "helm/v1": HELM,
    HELM: HELM,
    "ansible": ANSIBLE,
    "ansible/v1": ANSIBLE,
    ANSIBLE: ANSIBLE,
}
"""The layout of each plugin; none is a project in Python."""


def layout_of(name: str) -> str:
    """Return the layout of the projects that the plugin *name* makes.

    Raises:
        ConfigError: It is not that of anything.
    """
    if name not in PLUGINS:
        raise ConfigError(
            f"--plugins: there is no plugin {name!r}, only helm, for operators made of charts, and"
            " ansible, for those made of roles. Leave the option out for a project in Python;"
            " `kubewright create api --image` does what deploy-image does"
        )
    return PLUGINS[name]

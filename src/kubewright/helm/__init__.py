"""Helm charts as operators: each object of a kind is a release of a chart.

`HelmOperator` is the `Application` for them; ``watches.yaml``, which `load_watches` reads, says
which kind goes with which chart. Charts are rendered by the program ``helm``, or by another
`Renderer`; all else happens here: objects are applied, watched and mended, and releases are kept
where helm finds them.
"""

from typing import TYPE_CHECKING

from kubewright._lazy import lazy_names

if TYPE_CHECKING:
    from kubewright.helm.chart import Chart, load_chart
    from kubewright.helm.manifest import Hook, RenderError, Rendering
    from kubewright.helm.operator import HelmOperator
    from kubewright.helm.renderer import Capabilities, HelmRenderer, Renderer, Wish
    from kubewright.helm.watches import Watch, load_watches

__all__ = [
    "Capabilities",
    "Chart",
    "HelmOperator",
    "HelmRenderer",
    "Hook",
    "RenderError",
    "Renderer",
    "Rendering",
    "Watch",
    "Wish",
    "load_chart",
    "load_watches",
]

_WHERE = {
    "Capabilities": "renderer",
    "Chart": "chart",
    "HelmOperator": "operator",
    "HelmRenderer": "renderer",
    "Hook": "manifest",
    "RenderError": "manifest",
    "Renderer": "renderer",
    "Rendering": "manifest",
    "Watch": "watches",
    "Wish": "renderer",
    "load_chart": "chart",
    "load_watches": "watches",
}

# Loaded when first used: YAML and all the rest is not for those who only ask for a name.
if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(__name__, _WHERE)

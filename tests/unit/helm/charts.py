"""Charts for tests, written as they are needed."""

from collections.abc import Mapping

import kubewright as kw
from kubewright.helm import Chart, HelmOperator, Watch

Shop = kw.Kind("example.com/v1alpha1", "Shop")
ConfigMap = kw.Kind("v1", "ConfigMap")
Secret = kw.Kind("v1", "Secret")

BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{one}: &a{one} [{', '.join([f'*a{one - 1}'] * 10)}]\n" for one in range(1, 9)
)
"""A little YAML that stands for a billion texts."""
SETTINGS = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}-settings
data:
  colour: {{ .Values.colour | quote }}
"""


def chart(
    templates: Mapping[str, str] | None = None, *, values: str = "colour: blue\n", **files: str
) -> Chart:
    """Return a chart with *templates*, by name; with one ConfigMap unless given.

    Args:
        templates: The templates.
        values: Its values.yaml.
        files: More files, by path; ``__`` stands for a slash, and ``_`` for a dot.
    """
    found = {"settings.yaml": SETTINGS} if templates is None else templates
    named = {path.replace("__", "/").replace("_", "."): text for path, text in files.items()}
    texts = {
        "Chart.yaml": "apiVersion: v2\nname: shop\nversion: 0.1.0\n",
        "values.yaml": values,
        **{f"templates/{name}": text for name, text in found.items()},
        **named,
    }
    return Chart("shop", {path: text.encode() for path, text in texts.items()})


def operator(of: Chart | None = None, **options: object) -> HelmOperator:
    """Return an operator for Shops that are releases of a chart."""
    watch = Watch(kind=Shop, chart=of or chart(), **options)  # type: ignore[arg-type]
    return HelmOperator([watch], name="shops")


def shop(name: str = "corner", **values: object) -> kw.Unstructured:
    """Return a Shop with *values*."""
    return Shop(metadata={"name": name, "namespace": "default"}, spec=values)

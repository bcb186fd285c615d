"""Projects made of charts, as users make them: the commands of each, below its name."""

from pathlib import Path

from tests.scaffold.variants import Variant

__all__ = ["CHARTS", "write_chart"]

NGINX = "--group web --version v1alpha1 --kind Nginx"
SHOP = "create api --group web --version v1 --kind Shop --helm-chart ../shop"

CHARTS: dict[str, Variant] = {
    "nothing yet": Variant("--plugins helm"),
    "at once": Variant(f"--plugins helm --domain example.com {NGINX}"),
    "with schemas": Variant(
        f"--plugins helm --domain example.com {NGINX} --crd-schema values",
        (f"{SHOP} --crd-schema values", "create api --helm-chart ../shop/charts/till --group web"),
    ),
    "one namespace": Variant(f"--plugins helm/v1 --namespaced {NGINX}", (SHOP,)),
    "several groups": Variant(
        "--plugins helm --multigroup",
        (SHOP, "create api --helm-chart ../shop/charts/till", "edit --namespaced"),
    ),
}
FILES = {
    "Chart.yaml": """\
apiVersion: v2
name: shop
version: 1.0.0
description: Sells things; "cheap", they say.
dependencies:
- name: till
  version: 1.0.0
""",
    "values.yaml": """\
# Where it is.
town: ""
open: true
price: 1.5
port: http
# -- What there is.
goods:
- name: apple
limits: {}
till:
  coins: 3
""",
    "values.schema.json": """\
{
  "type": "object",
  "required": ["town", "owner"],
  "properties": {
    "town": {"$ref": "#/$defs/name"},
    "owner": {"anyOf": [{"$ref": "#/$defs/name"}, {"type": "null"}]},
    "port": {"type": ["string", "integer"]},
    "goods": {"type": "array", "items": {"type": "object", "required": ["name"],
      "properties": {"name": {"$ref": "#/$defs/name"}, "parts": {"$ref": "#/properties/goods"}}}},
    "limits": {"type": "object", "patternProperties": {"^x": {"type": "integer"}},
      "if": {"required": ["x"]}}
  },
  "$defs": {"name": {"type": "string", "maxLength": 20, "pattern": "^[a-z]*$"}}
}
""",
    "templates/shop.yaml": """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}
data:
  town: {{ .Values.town | quote }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: {{ .Release.Name }}
rules:
- apiGroups: [""]
  resources: [configmaps]
  verbs: [get]
""",
    "icon.png": "\udc89PNG\udcff",
    "charts/till/Chart.yaml": "apiVersion: v2\nname: till\nversion: 1.0.0\n",
    "charts/till/values.yaml": "coins: 1\n",
    "charts/till/templates/till.yaml": "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: till\n",
}


def write_chart(folder: Path) -> None:
    """Write a chart with a schema, a picture and another chart in it."""
    for path, text in FILES.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.encode("utf-8", "surrogateescape"))

"""The table of Go's fields: what is read from Go's source, and that the committed one fits."""

import json
import subprocess
import sys
from pathlib import Path

from tools.generate_go_fields import table

ROOT = Path(__file__).parents[3]
DATA = ROOT / "src/kubewright/apiserver/data"

SOURCE = """package v1

import (
\tmetav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type Shop struct {
\tmetav1.TypeMeta `json:",inline"`
\t// Described in words, with a `json:"trap"`.
\tInner `json:"" protobuf:"bytes,2"`
\tSize *int32 `json:"size,omitempty" protobuf:"x"`
\tNames []string `json:"names"`
\tMeta metav1.ObjectMeta `json:"metadata,omitempty"`
\tSince metav1.Time `json:"since,omitempty,omitzero"`
\tPolicy Policy `json:"policy,omitempty"`
\tHidden string `json:"-"`
}

type Inner struct {
\tData map[string][]byte `json:"data,omitempty"`
}
"""


def written(folder: Path) -> Path:
    """Write Go's source as it lies in a checkout."""
    package = folder / "api/shops/v1"
    package.mkdir(parents=True)
    (package / "types.go").write_text(SOURCE)
    return folder / "api"


def test_fields_are_described_by_type_and_tags(tmp_path: Path) -> None:
    """Pointers have a star, fields that are always written an exclamation mark."""
    name = "io.k8s.api.shops.v1.Shop"

    assert table([written(tmp_path)], {name}) == {
        name: {
            "data": "map[string][]byte",
            "size": "*int32",
            "names": "[]string!",
            "metadata": "v1.ObjectMeta",
            "since": "v1.Time?",
            "policy": "v1.Policy",
        }
    }


def test_the_script_prints_the_table(tmp_path: Path) -> None:
    """Sorted, for the definitions of the document only."""
    document = tmp_path / "openapi.json"
    document.write_text(json.dumps({"definitions": {"io.k8s.api.shops.v1.Inner": {}}}))
    script = [sys.executable, "tools/generate_go_fields.py", "--openapi", str(document)]
    script += ["--source", str(written(tmp_path))]

    done = subprocess.run(script, cwd=ROOT, capture_output=True, text=True, check=True)

    assert json.loads(done.stdout) == {"io.k8s.api.shops.v1.Inner": {"data": "map[string][]byte"}}


def test_the_committed_table_knows_nearly_every_field() -> None:
    """Whoever brings a newer document has to bring a newer table."""
    document = json.loads((DATA / "kubernetes-openapi-v2.json").read_text())["definitions"]
    known = json.loads((DATA / "go-fields.json").read_text())

    missing = [
        f"{name}.{field}"
        for name, source in document.items()
        for field in source.get("properties", ())
        if field not in {"apiVersion", "kind"} and field not in known.get(name, {})
    ]

    assert len(missing) < 20, missing

"""Tests of ``tools/generate_protobuf.py``."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tools import generate_protobuf
from tools.generate_protobuf import definition_name, table

KIND = [{"group": "", "kind": "Pod", "version": "v1"}]
PROTO = """
package k8s.io.api.core.v1;

// Pod is one. message Fake {
message Pod {
  // optional string wrong = 9;
  optional .k8s.io.apimachinery.pkg.apis.meta.v1.Time started = 1;

  optional PodSource podSource = 2;

  map<string, Extra> extra = 3;

  repeated int64 groups = 4;

  optional string newer = 5;
}

message PodSource {
  optional bytes raw = 1;
}

message Extra {
  // items, if empty, will result in an empty slice

  repeated string items = 1;
}

message Unused {
  optional string x = 1;
}
"""
GO = """
type Pod struct {
\tStarted metav1.Time `json:"startTime" protobuf:"bytes,1,opt,name=started"`
\tPodSource `json:",inline" protobuf:"bytes,2,opt,name=podSource"`
\tExtra map[string]Extra `json:"extra,omitempty" protobuf:"bytes,3,rep,name=extra"`
}

type Extra []string
"""


def fields(*names: str) -> dict[str, Any]:
    return {"properties": {name: {} for name in names}}


DEFINITIONS: dict[str, Any] = {
    "io.k8s.api.core.v1.Pod": {
        "x-kubernetes-group-version-kind": KIND,
        **fields("startTime", "extra", "groups", "raw"),
    },
}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Return a repository with one package."""
    folder = tmp_path / "api" / "core" / "v1"
    folder.mkdir(parents=True)
    (folder / "generated.proto").write_text(PROTO)
    (folder / "types.go").write_text(GO)
    return tmp_path / "api"


def test_the_table_has_the_messages_of_kinds_with_their_names_in_json(source: Path) -> None:
    """Renamed fields, inlined messages, lists, maps and newer fields are each as JSON has them."""
    found = table([source], DEFINITIONS)

    assert found == {
        "io.k8s.api.core.v1.Extra": {"1": ["[]", "string", "repeated"]},
        "io.k8s.api.core.v1.Pod": {
            "1": ["startTime", "io.k8s.apimachinery.pkg.apis.meta.v1.Time"],
            "2": ["", "io.k8s.api.core.v1.PodSource"],
            "3": ["extra", "io.k8s.api.core.v1.Extra", "map"],
            "4": ["groups", "int64", "repeated"],
        },
        "io.k8s.api.core.v1.PodSource": {"1": ["raw", "bytes"]},
    }


def test_packages_are_named_as_in_the_openapi_document() -> None:
    """The server looks up messages by the names of definitions."""
    assert definition_name("k8s.io.kube_aggregator.pkg") == "io.k8s.kube-aggregator.pkg"


def test_the_command_writes_the_table(source: Path, tmp_path: Path) -> None:
    """The tool is run by hand, with checkouts of Kubernetes."""
    openapi = tmp_path / "openapi.json"
    openapi.write_text(json.dumps({"definitions": DEFINITIONS}))
    tool = str(generate_protobuf.__file__)

    done = subprocess.run(
        [sys.executable, tool, "--openapi", str(openapi), str(source)],
        capture_output=True,
        check=True,
    )

    assert json.loads(done.stdout) == table([source], DEFINITIONS)

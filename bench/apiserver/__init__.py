"""The embedded API server beside the real kube-apiserver with etcd: same load, same machine."""

import sys
from pathlib import Path

# Kubewright is not installed beside its peers.
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "src"))

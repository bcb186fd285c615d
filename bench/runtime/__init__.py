"""The runtime beside client-go and the Python peers: informers, queues, controllers, operators."""

import sys
from pathlib import Path

# Kubewright is not installed beside its peers.
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "src"))

"""The benchmark: Kubewright beside its peers, in one run, as ratios. See README.md."""

import sys
from pathlib import Path

# Our own package is measured as it is in this tree; the environment has only the peers.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

"""What an operator prints when it is done."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]
SCRIPT = """
from bench.runtime.tally import Tally
tally = Tally(2)
for name in ("a", "a", "b", "c"):
    tally.began()
    tally.done(name)
print("never reached")
"""


def test_every_widget_counts_once_and_the_last_one_ends_the_process() -> None:
    """An orderly end of an operator would only cost time."""
    environ = os.environ | {"BENCH_STARTED": "1", "PYTHONPATH": str(ROOT)}

    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=environ, capture_output=True, text=True, check=True
    )

    assert set(json.loads(done.stdout)) == {"first_ms", "per_second", "cpu_us"}

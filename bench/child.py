"""One measurement in a process of its own: ``python -m bench.child <contender> <function> [work]``.

The last line of its output is the result, as JSON.
"""

import ctypes
import importlib
import json
import logging
import os
import signal
import sys
import warnings

from bench.measure import Work

LIFETIME = 330  # seconds; longer than anybody waits for us
_PR_SET_PDEATHSIG = 1


def main() -> None:
    """Measure and print; then leave at once, whatever is still running."""
    contender, function, work = sys.argv[1:4]
    # An operator whose server is gone looks for it for ever, so we end with our parent.
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    signal.alarm(LIFETIME)
    warnings.simplefilter("ignore")
    logging.disable()
    module = importlib.import_module(f"bench.{contender}")
    numbers = getattr(module, function)(Work(**json.loads(work)))
    print(json.dumps(numbers), flush=True)
    os._exit(0)


if __name__ == "__main__":
    main()

"""The cost of imports: ``python -P bench/imports.py "import kubewright"``.

A script that imports nothing itself, because what it imports its subject gets for free.
"""

import sys
import time

BEFORE = time.perf_counter()
exec(sys.argv[1])  # an import statement from figures.py
SECONDS = time.perf_counter() - BEFORE

with open("/proc/self/status", encoding="ascii") as status:  # noqa: PTH123  # pathlib is an import
    KIB = next(line.split()[1] for line in status if line.startswith("VmRSS:"))
print(f'{{"ms": {SECONDS * 1000}, "rss": {int(KIB) / 1024}}}')

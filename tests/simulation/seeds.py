"""Which runs of chance are simulated: one, or as many as ``SIMULATION_SEEDS`` says."""

import os

SEEDS = range(1, 1 + int(os.environ.get("SIMULATION_SEEDS", "1")))

"""Writes the numbers of a run to a file of their own."""

import json
import os
import platform
from datetime import UTC, datetime
from pathlib import Path
from typing import Any


def write_report(folder: Path, prefix: str, content: dict[str, Any]) -> Path:
    """Write *content*, with when and where it was measured; return the path."""
    now = datetime.now(UTC)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{prefix}{now:%Y-%m-%dT%H%M%SZ}.json"
    about = {
        "time": now.isoformat(timespec="seconds"),
        "machine": {"cpus": os.cpu_count(), "arch": platform.machine()},
        "python": platform.python_version(),
    }
    path.write_text(json.dumps(about | content, indent=1) + "\n")
    return path

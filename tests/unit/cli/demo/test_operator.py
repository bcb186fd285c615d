from pathlib import Path

from kubewright.cli.demo import _operator

EXAMPLE = Path(__file__).resolve().parents[4] / "examples" / "at" / "at.py"


def test_it_is_the_example() -> None:
    """There is one At operator: what the demo shows is what people read, also once installed."""
    assert Path(_operator.__file__).read_text() == EXAMPLE.read_text()

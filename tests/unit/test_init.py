"""The names that `kubewright` itself offers."""

import subprocess
import sys

import pytest

import kubewright


@pytest.mark.parametrize("name", kubewright.__all__)
def test_every_name_can_be_loaded(name: str) -> None:
    """A name in the list that its package does not have would fail at first use, far away."""
    assert getattr(kubewright, name) is not None


def test_an_unknown_name_is_an_attribute_error() -> None:
    """hasattr() and tools rely on it."""
    with pytest.raises(AttributeError, match="no attribute 'Operators'"):
        _ = kubewright.Operators  # type: ignore[attr-defined]  # as it should be


def test_dir_shows_what_is_not_loaded_yet() -> None:
    """Completion in an editor or a shell must offer all names."""
    assert set(kubewright.__all__) <= set(dir(kubewright))


def test_a_name_loads_its_own_package_only() -> None:
    """Who declares a class should not pay for the client."""
    code = "import kubewright, sys; kubewright.Model; print('kubewright.client' in sys.modules)"

    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert result.stdout.strip() == "False"


def test_threads_may_load_a_name_at_once() -> None:
    """Nobody may see a module that another thread has not finished."""
    code = """
import sys, threading
import kubewright
sys.setswitchinterval(1e-6)
problems = []
def load():
    barrier.wait()
    try:
        kubewright.Operator
    except AttributeError as error:
        problems.append(error)
barrier = threading.Barrier(8)
threads = [threading.Thread(target=load) for _ in range(8)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(len(problems))
"""

    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert result.stdout.strip() == "0"

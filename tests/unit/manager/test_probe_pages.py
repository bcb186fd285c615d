import pytest

from kubewright._serve.messages import Request, Response
from kubewright.manager.member import Member
from kubewright.manager.probe_pages import ProbePages
from kubewright.manager.probes import Probes
from kubewright.manager.stages import Stages
from kubewright.runnable import Problem, Stage
from tests.unit.manager.runnables import Ailing, Gated


def ignore(name: str, error: Exception) -> None:
    """Nothing fails here."""
    raise AssertionError(name) from error


def page(probes: Probes, path: str) -> Response:
    """Return what is answered at *path*."""
    return ProbePages(probes).pages[path.strip("/")](Request("GET", path, "verbose"))


async def test_a_problem_fails_readiness_and_not_liveness() -> None:
    """A restart would not bring the missing right; it would only cost the warm caches."""
    stages = Stages(ignore)
    stages[Stage.ALWAYS].add(Member(Ailing(Problem("informer/pods", "403")), Stage.ALWAYS))
    await stages.start(Stage.ALWAYS)
    probes = Probes(stages, None)
    probes.started = True

    healthz, readyz = page(probes, "/healthz"), page(probes, "/readyz")
    stages.cancel()
    await stages.wait()

    assert healthz.status == 200
    assert healthz.body == b"[+]ping ok\n[+]ailing/ailing ok\nhealthz check passed\n"
    assert readyz.status == 500
    assert b"[+]stages ok\n[+]shutdown ok\n[-]informer/pods failed: 403\n" in readyz.body


async def test_a_fatal_problem_fails_both() -> None:
    """Only a restart helps, and the kubelet is who can do that."""
    stages = Stages(ignore)
    stages[Stage.ALWAYS].add(Member(Ailing(Problem("w", "stuck", fatal=True)), Stage.ALWAYS))
    await stages.start(Stage.ALWAYS)
    probes = Probes(stages, None)

    answers = [page(probes, path).status for path in ("/healthz", "/readyz")]
    stages.cancel()
    await stages.wait()

    assert answers == [500, 500]


async def test_who_is_waited_for_is_named() -> None:
    """A pod that does not get ready says why."""
    stages = Stages(ignore)
    stages[Stage.CACHES].add(Member(Gated([], "shops"), Stage.CACHES))
    probes = Probes(stages, None)

    answer = page(probes, "/readyz")

    assert b"[-]stages failed: stage CACHES waits for Gated shops\n" in answer.body


def test_before_the_end_of_the_start_it_is_not_ready() -> None:
    """Even with nothing to wait for."""
    answer = page(Probes(Stages(ignore), None), "/readyz")

    assert (answer.status, b"not all stages have started" in answer.body) == (500, True)


@pytest.mark.parametrize(("path", "code"), [("/healthz", 200), ("/readyz", 500)])
def test_who_stops_is_alive_and_not_ready(path: str, code: int) -> None:
    """It gets no more requests, and is not killed in the middle of its end."""
    probes = Probes(Stages(ignore), None)
    probes.started = probes.stopping = True

    assert page(probes, path).status == code

"""One run, from its files to its outcome."""

import copy
from pathlib import Path

from kubewright.ansible.workshop import RoleError
from tests.unit.ansible.stalls import Stall, market, stall


def test_error_can_be_copied() -> None:
    """Records of runs keep it."""
    error = RoleError("no bricks", {"ok": 1})

    assert str(copy.copy(error)) == "no bricks"
    assert copy.copy(error).result == {"ok": 1}


async def test_secrets_are_gone_after_a_run(tmp_path: Path) -> None:
    """Whether it went well or not; what was run stays for those who want to know."""
    async with market(tmp_path) as test:
        await test.client.create(stall("fail"))
        await test.ran(1)
        await test.client.patch(Stall, "corner", {"spec": {"steps": []}}, namespace="default")
        await test.ran(2)
        await test.settled()

        names = {path.name for path in (tmp_path / "files").rglob("*")}
        assert "ran" in names
        assert names.isdisjoint({"kubeconfig", "extravars", "job.json"})


async def test_what_many_tasks_say_fits_into_the_condition(tmp_path: Path) -> None:
    """The API server would refuse a status of three megabytes."""
    async with market(tmp_path) as test:
        await test.client.create(stall("shout"))
        await test.ran(1)
        await test.settled()

        message = (await test.condition("Failure"))["message"]
        assert message.startswith("xxx")
        assert len(message) < 32_768

"""The data folder: what was answered is there, whatever happens to the process or the disk."""

import asyncio
import json
import shutil
import signal
import sqlite3
import sys
from pathlib import Path

import pytest

from kubewright.apiserver.server import APIServer
from kubewright.apiserver.wire.request import Request, Response
from kubewright.errors import ConfigError
from tests.robustness import test_churn as churn
from tests.robustness.wire import CONFIG_MAPS, MERGE, Wire

SERVE = """
import asyncio, sys
from pathlib import Path
from kubewright.apiserver.wire.http import HTTPServer
from kubewright.apiserver.server import APIServer

async def serve():
    async with APIServer(data_dir=Path(sys.argv[1])) as api, HTTPServer(api) as front:
        api.users.add_user("admin", "secret", groups=["system:masters"])
        print(front.url, flush=True)
        await asyncio.Event().wait()

asyncio.run(serve())
"""


async def answer(api: APIServer, method: str, path: str, body: object = None) -> Response:
    """Ask a server in this process."""
    data = b"" if body is None else json.dumps(body).encode()
    found = await api.handle(Request(method, path, body=data, trusted=True))
    assert isinstance(found, Response)
    return found


async def names(folder: Path) -> dict[str, str]:
    """Return the data of each config map that a server finds in *folder*."""
    async with APIServer(data_dir=folder) as api:
        items = json.loads((await answer(api, "GET", CONFIG_MAPS)).body)["items"]
        return {item["metadata"]["name"]: item.get("data", {}).get("n", "") for item in items}


class Ledger:
    """What clients were told, and what they do not know because the server died meanwhile."""

    def __init__(self) -> None:
        self.known: dict[str, str | None] = {}
        self.unsure: set[str] = set()
        self.version = 0

    async def write(self, wire: Wire, writer: int) -> None:
        """Create, change and delete objects of one's own, until the server is gone."""
        for n in range(10_000):
            name, change = f"w{writer}-{n // 3}", n % 3
            one = f"{CONFIG_MAPS}/{name}"
            self.unsure.add(name)
            try:
                if change == 0:
                    body = {"metadata": {"name": name}, "data": {"n": "0"}}
                    told = await wire.ask("POST", CONFIG_MAPS, body)
                elif change == 1:
                    told = await wire.ask("PATCH", one, {"data": {"n": "1"}}, media=MERGE)
                elif n % 2:
                    told = await wire.ask("DELETE", one)
                else:
                    told = await wire.ask("GET", one)
            except (OSError, EOFError):
                return
            assert told.status in (200, 201), told
            gone = change == 2 and n % 2
            self.known[name] = None if gone else str(min(change, 1))
            self.unsure.discard(name)
            if not gone:
                self.version = max(self.version, int(told.version))


@pytest.mark.parametrize("moment", [0.05, 0.4])
async def test_a_kill_loses_nothing_that_was_answered(tmp_path: Path, moment: float) -> None:
    """Whoever got an answer can build on it, and revisions never go back."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", SERVE, str(tmp_path), stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    wire = Wire((await process.stdout.readline()).decode().strip(), token="secret")
    ledger = Ledger()

    async with asyncio.TaskGroup() as group:
        for writer in range(20):
            group.create_task(ledger.write(wire, writer))
        await asyncio.sleep(moment)
        process.send_signal(signal.SIGKILL)
        await process.wait()
    await wire.close()

    found = await names(tmp_path)
    wrong = {
        name: (told, found.get(name))
        for name, told in ledger.known.items()
        if name not in ledger.unsure and told != found.get(name)
    }
    assert ledger.known
    assert wrong == {}
    async with APIServer(data_dir=tmp_path) as api:
        assert api.store.revision >= ledger.version


async def test_a_full_disk_refuses_changes_and_harms_nothing(tmp_path: Path) -> None:
    """After room was made everything goes on, and what was refused has not happened."""
    first, second = tmp_path / "first", tmp_path / "second"
    async with APIServer(data_dir=first) as api:
        database = api.store._journal._database  # type: ignore[union-attr]  # it has one
        full = database.execute("PRAGMA page_count").fetchone()[0]
        database.execute(f"PRAGMA max_page_count = {full + 20}")
        statuses = {}
        for n in range(20):
            body = {"metadata": {"name": f"a{n}"}, "data": {"k": "v" * 9000, "n": str(n)}}
            statuses[f"a{n}"] = (await answer(api, "POST", CONFIG_MAPS, body)).status
        made = [name for name, status in statuses.items() if status == 201]
        database.execute("PRAGMA max_page_count = 100000")

        after = await answer(api, "POST", CONFIG_MAPS, {"metadata": {"name": "after"}})
        gone = await answer(api, "DELETE", f"{CONFIG_MAPS}/{made[0]}")
        shutil.copytree(first, second)  # as a kill would leave it

    assert {*statuses.values()} == {201, 500}
    assert (after.status, gone.status) == (201, 200)
    assert set(await names(second)) == {*made[1:], "after"}


async def test_a_failed_deletion_is_undone(tmp_path: Path) -> None:
    """A transaction that stays open would take all later changes with it when the process dies."""
    async with APIServer(data_dir=tmp_path / "first") as api:
        await answer(api, "POST", CONFIG_MAPS, {"metadata": {"name": "a"}})
        database = api.store._journal._database  # type: ignore[union-attr]  # it has one
        database.execute("ALTER TABLE latest RENAME TO hidden")
        failed = await answer(api, "DELETE", f"{CONFIG_MAPS}/a")
        database.execute("ALTER TABLE hidden RENAME TO latest")

        await answer(api, "POST", CONFIG_MAPS, {"metadata": {"name": "b"}})
        shutil.copytree(tmp_path / "first", tmp_path / "second")

    assert failed.status == 500
    assert set(await names(tmp_path / "second")) == {"a", "b"}


@pytest.mark.parametrize("damage", ["truncated", "overwritten", "object", "text"])
async def test_a_damaged_file_is_named_and_let_go(tmp_path: Path, damage: str) -> None:
    """A person can find out which file to restore; a server with half of it would mislead."""
    async with APIServer(data_dir=tmp_path) as api:
        for n in range(40):
            body = {"metadata": {"name": f"a{n}"}, "data": {"k": "v" * 500}}
            await answer(api, "POST", CONFIG_MAPS, body)
    file = tmp_path / "objects.db"
    whole = file.read_bytes()
    if damage == "truncated":
        file.write_bytes(whole[:20_000])
    elif damage == "overwritten":
        file.write_bytes(whole[:8192] + b"\xff" * (len(whole) - 8192))
    elif damage == "text":
        file.write_bytes(b"this is no database\n" * 100)
    else:
        database = sqlite3.connect(file)
        with database:
            database.execute("UPDATE objects SET data = '{' WHERE key = 'default/a1'")
        database.close()

    for _ in range(2):  # the second time too: the first has let go of the file
        with pytest.raises(ConfigError, match=r"cannot use .*objects\.db"):
            APIServer(data_dir=tmp_path)


async def killed(tmp_path: Path) -> Path:
    """Return a folder as a kill leaves it: the last changes are in the log only."""
    async with APIServer(data_dir=tmp_path / "first") as api:
        for n in range(20):
            await answer(api, "POST", CONFIG_MAPS, {"metadata": {"name": f"a{n}"}})
        shutil.copytree(tmp_path / "first", tmp_path / "second")
    return tmp_path / "second"


@pytest.mark.parametrize("damage", ["database", "log", "missing", "middle", "head", "salt"])
async def test_what_was_emptied_or_damaged_is_never_taken_for_less(
    tmp_path: Path, damage: str
) -> None:
    """SQLite says nothing of it: an empty file is a new database, a bad frame the end of a log."""
    folder = await killed(tmp_path)
    database, log = folder / "objects.db", folder / "objects.db-wal"
    whole = log.read_bytes()
    if damage == "database":
        database.write_bytes(b"")
    elif damage == "missing":
        database.unlink()
    else:
        start = {"middle": len(whole) // 2, "head": 0, "salt": 16, "log": 0}[damage]
        spoilt = whole[:start] + b"\xff" * 8 + whole[start + 8 :]
        log.write_bytes(b"" if damage == "log" else spoilt)
    named = "objects.db:" if damage == "database" else "objects.db-wal"

    for _ in range(2):  # the second time, too: nothing was removed
        with pytest.raises(ConfigError, match=f"cannot use .*{named}.*(Restore|remove)"):
            APIServer(data_dir=folder)


@pytest.mark.parametrize("torn", [1, 30, 4000, 4200])
async def test_a_log_that_was_torn_at_its_end_is_used(tmp_path: Path, torn: int) -> None:
    """A write that a kill has cut was not answered."""
    folder = await killed(tmp_path)
    log = folder / "objects.db-wal"
    log.write_bytes(log.read_bytes()[:-torn])

    found = await names(folder)

    assert {f"a{n}" for n in range(15)} <= found.keys()


async def test_two_servers_cannot_have_one_folder(tmp_path: Path) -> None:
    """The second would overwrite what the first has answered."""
    async with APIServer(data_dir=tmp_path):
        with pytest.raises(ConfigError, match="another server has it open"):
            APIServer(data_dir=tmp_path)


async def test_definitions_and_webhooks_work_again_after_a_restart(tmp_path: Path) -> None:
    """What was configured is in force from the first request on."""
    definition, thing = churn.definition(), {"kind": "Thing", "metadata": {"name": "a"}}
    thing["apiVersion"] = "robust.example.com/v1"
    rule = {"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["things"]}
    hook = {
        "name": "nobody.example.com",
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
        "clientConfig": {"url": "https://127.0.0.1:1/"},
        "rules": [rule],
    }
    hooks = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
    async with APIServer(data_dir=tmp_path) as api:
        await answer(api, "POST", churn.DEFINITIONS, definition)
        created = await answer(api, "POST", churn.THINGS, thing)
        await answer(api, "POST", hooks, {"metadata": {"name": "a"}, "webhooks": [hook]})

    async with APIServer(data_dir=tmp_path) as api:
        listed = await answer(api, "GET", churn.THINGS)
        refused = await answer(api, "DELETE", f"{churn.THINGS}/a")

    assert (created.status, listed.status, refused.status) == (201, 200, 500)
    assert len(json.loads(listed.body)["items"]) == 1
    assert b"nobody.example.com" in refused.body

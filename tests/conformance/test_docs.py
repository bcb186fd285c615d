"""The blocks of the pages that need a server do what the pages say."""

from pathlib import Path

import pytest

from kubewright.testing import Server
from tests.docs.blocks import blocks
from tests.docs.page import PAGES, page_id, run_page

NEEDS = "needs a server"
WITH_SERVER = [page for page in PAGES if any(block.not_run == NEEDS for block in blocks(page))]


def test_the_pages_show_the_client() -> None:
    """A misspelt reason would leave a block untried."""
    reasons = {block.not_run for page in PAGES for block in blocks(page) if block.not_run}

    assert NEEDS in reasons
    assert not {reason for reason in reasons if "server" in reason} - {NEEDS}


@pytest.mark.parametrize("page", WITH_SERVER, ids=page_id)
def test_every_block_of_a_page_works_against_a_server(
    page: Path, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reader copies a block and it works on their cluster."""
    monkeypatch.setenv("KUBECONFIG", str(server.kubeconfig_file))

    run_page(page, tmp_path, monkeypatch, also=NEEDS)

"""The reconciler of Guestbook, on an API server in this process and in virtual time."""

import kubewright as kw
from kubewright.testing import operator_test

from guestbook.api.v1.guestbook import Guestbook
from guestbook.main import operator


async def test_a_new_guestbook_becomes_ready() -> None:
    """Users and their scripts wait for the condition Ready."""
    async with operator_test(operator) as test:
        await test.client.create(Guestbook(metadata=kw.ObjectMeta(name="example")))
        await test.settled()

        guestbook = await test.client.get(Guestbook, "example")
        assert kw.is_condition_true(guestbook.status.conditions, "Ready")

"""CustomResourceDefinitions: what Kubernetes accepts is accepted, and the rest refused alike."""

from typing import Any

import pytest
from hypothesis import given, settings

from tests.conformance.crds import CRDS
from tests.differential.pair import Pair
from tests.differential.schemas import definitions

DEFINITIONS = definitions()


def check(pair: Pair, definition: dict[str, Any]) -> None:
    """Create a CRD on both servers, for the answer only."""
    pair.ask("POST", CRDS, definition, dryRun="All")


@pytest.mark.timeout(3000)
def test_any_definition_is_judged_the_same(custom: Pair) -> None:
    """With the same causes, whatever is wrong."""
    custom.start()

    @settings(max_examples=settings().max_examples * 20)
    @given(DEFINITIONS)
    def judged(definition: dict[str, Any]) -> None:
        check(custom, definition)

    judged()

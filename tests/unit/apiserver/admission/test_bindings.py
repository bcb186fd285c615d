import pytest

from tests.unit.apiserver.admission.policy_world import LIMITS, World


@pytest.fixture
def world() -> World:
    return World()


class TestParameters:
    """Objects that a binding gives to its policy."""

    KIND = {"apiVersion": "example.com/v1", "kind": "Limit"}

    @pytest.fixture(autouse=True)
    def _limits(self, world: World) -> None:
        for name, most in (("low", 1), ("high", 5)):
            metadata = {"name": name, "namespace": "shop", "labels": {"kind": "limit"}}
            world.reader.put(LIMITS, {"metadata": metadata, "most": most})
        world.add("params == null || params.most > 3", paramKind=self.KIND)

    async def test_one_is_chosen_by_name(self, world: World) -> None:
        """In the namespace of the write."""
        world.bind(paramRef={"name": "high"})
        await world.ask()

        world.bind(paramRef={"name": "low"})
        assert await world.failure()

    async def test_several_are_chosen_by_labels_and_all_count(self, world: World) -> None:
        """The write must be as each of them wants it."""
        world.bind(paramRef={"selector": {"matchLabels": {"kind": "limit"}}})

        assert await world.failure()

    async def test_what_is_missing_is_allowed_or_denied_as_the_binding_says(
        self, world: World
    ) -> None:
        """A binding without parameters asks once, without."""
        world.bind(paramRef={"name": "nix", "parameterNotFoundAction": "Allow"})
        await world.ask()

        world.bind(paramRef={"name": "nix", "parameterNotFoundAction": "Deny"})
        assert await world.failure() == (
            "failed to configure binding: no params found for policy binding with `Deny`"
            " parameterNotFoundAction"
        )
        world.bind()
        await world.ask()

    async def test_an_unknown_kind_refuses(self, world: World) -> None:
        """The CRD may be gone."""
        world.add("true", paramKind={"apiVersion": "example.com/v1", "kind": "Nix"})

        error = await world.refusal()

        assert error.message.endswith(
            "ValidatingAdmissionPolicy 'p' denied request: failed to configure policy: failed to"
            " find resource referenced by paramKind: 'example.com/v1, Kind=Nix'"
        )

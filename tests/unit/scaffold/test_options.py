import pytest

from kubewright.scaffold.options import Image, RoleUse


def test_an_image_says_what_runs_in_pods() -> None:
    """In kubebuilder's format, where all is text."""
    image = Image(
        image="memcached:1.6",
        container_command="memcached,-m=64",
        container_port="11211",
        run_as_user="1001",
    )

    assert image.command == ["memcached", "-m=64"]
    assert (image.port, image.user) == (11211, 1001)
    assert Image(image="a").command == []
    assert (Image(image="a").port, Image(image="a").user) == (None, None)


@pytest.mark.parametrize("words", [{"container_port": "http"}, {"run_as_user": "-1"}])
def test_a_number_is_one(words: dict[str, str]) -> None:
    """It gets into manifests as it is."""
    with pytest.raises(ValueError, match="and not a number in quotes"):
        Image(image="a", **words)


@pytest.mark.parametrize(
    ("use", "runs", "name"),
    [
        (RoleUse(role="shop"), {"role": "shop"}, "shop"),
        (
            RoleUse(role="shop", playbook="playbooks/shop.yml"),
            {"playbook": "playbooks/shop.yml"},
            "shop",
        ),
        (RoleUse(playbook="playbooks/town.yml"), {"playbook": "playbooks/town.yml"}, "town"),
    ],
)
def test_a_playbook_is_run_instead_of_the_role(
    use: RoleUse, runs: dict[str, str], name: str
) -> None:
    """It runs the role itself."""
    assert (use.runs, use.name) == (runs, name)

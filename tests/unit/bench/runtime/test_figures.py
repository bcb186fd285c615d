"""What is measured of the runtime, and its goals."""

from bench.runtime.figures import FIGURES, GROUPS, OURS, PEERS, PLAIN, RECORDED, SCENARIOS, SOCKET


def test_every_figure_is_of_a_scenario_in_which_ours_takes_part() -> None:
    """A goal that is never judged is none."""
    contenders = {scenario.name: scenario.contenders for scenario in SCENARIOS}

    for figure in FIGURES:
        assert figure.ours in contenders[figure.scenario]


def test_every_scenario_has_a_figure_and_a_name_of_its_own() -> None:
    """What is measured is shown."""
    assert len(set(GROUPS)) == len(GROUPS)
    assert {figure.scenario for figure in FIGURES} == set(GROUPS)


def test_every_contender_is_known() -> None:
    """A typing mistake would leave somebody out without a word."""
    known = {OURS, PLAIN, RECORDED, SOCKET, *PEERS}

    assert {one for scenario in SCENARIOS for one in scenario.contenders} == known


def test_no_two_figures_have_the_same_title() -> None:
    """The title is the name of a ratio in the baseline."""
    titles = [figure.title for figure in FIGURES]

    assert len(set(titles)) == len(titles)

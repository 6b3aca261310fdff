"""Where pairings stand: every one once, winners beside each other, all columns of one height."""

import pytest

from tests.tournaments.core.test_machine_properties import Run
from tournaments.core.bracket import columns


@pytest.mark.parametrize("size", range(2, 51))
def test_every_bracket_holds_every_pairing_once_in_columns_of_one_height(size: int) -> None:
    for seed in range(12):
        rounds = Run(size, seed).state.rounds
        drawn = columns(rounds)
        rows = len(rounds[0]) if rounds else 0
        for column, round_ in zip(drawn, rounds, strict=True):
            stood = [place.pairing for place in column if place.pairing is not None]
            assert sorted(stood) == list(range(len(round_)))
            assert sum(place.rows for place in column) == rows


def test_those_whose_winners_meet_stand_side_by_side_and_span_what_follows() -> None:
    rounds = Run(8, 0).state.rounds
    assert [len(round_) for round_ in rounds] == [4, 2, 1]
    quarters, semis, finals = columns(rounds)
    assert [place.rows for place in quarters] == [1, 1, 1, 1]
    assert [place.joins for place in quarters] == ["first", "second"] * 2
    assert [place.rows for place in semis] == [2, 2]
    assert [(place.rows, place.joins, place.fed) for place in finals] == [(4, "", True)]
    for place, (upper, lower) in zip(semis, (quarters[:2], quarters[2:]), strict=True):
        assert place.pairing is not None
        assert upper.pairing is not None
        assert lower.pairing is not None
        met = {rounds[0][one.pairing].through for one in (upper, lower) if one.pairing is not None}
        assert met == set(rounds[1][place.pairing].entrants)

"""`manage.py fill`: matches by the thousand that are as those that were played."""

import io

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from matches import store
from matches.core.machine import replay
from matches.models import Match
from ratings import queries, services
from ratings.models import ALL_TIME, LedgerRow, Outcome, Result, Standing, Tally
from tests.builders import Api, signed_in
from tests.ratings.builders import sums_agree


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_what_is_filled_in_is_as_what_was_played() -> None:
    """Issue 4: rows that agree with each other, and pages that open on them. Twice, since a site may grow."""
    for _ in range(2):
        call_command("fill", matches=300, players=12, stderr=io.StringIO())
    assert Match.objects.filter(counted=True).count() == 600
    assert Result.objects.count() == 1200
    sums_agree()
    for player in Standing.objects.filter(period=ALL_TIME).values_list("player_id", flat=True):
        record = queries.record(Tally.objects.filter(player_id=player))
        for outcome in Outcome:
            assert (
                getattr(record, outcome) == Result.objects.filter(player_id=player, outcome=outcome).count()
            )
    assert LedgerRow.objects.count() == 2 * Result.objects.filter(rated=True, outcome="won").count()
    client = signed_in(None)
    for row in Match.objects.order_by("-ended_at")[:20]:
        state = store.state_of(row)
        assert replay(event for event, _ in store.events(row.pk)) == state
        assert (row.winner, int(row.ended_at.timestamp() * 1000) if row.ended_at else 0) == (
            state.result and state.result.winner,
            state.result and state.result.at,
        )
        assert client.get(f"/m/{row.pk}/").status_code == 200
    top = Api().get("/ladder").body["players"][0]["name"]
    assert client.get(f"/players/{top}/").status_code == 200
    assert client.get(f"/players/{top}/matches/").status_code == 200
    assert services.count_pending() == 0


@pytest.mark.skipif(connection.vendor == "postgresql", reason="it is there")
def test_without_postgresql_there_is_nothing_to_fill() -> None:
    with pytest.raises(CommandError, match="PostgreSQL"):
        call_command("fill")

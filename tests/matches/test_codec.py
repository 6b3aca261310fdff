"""Values to JSON and back, as the rows keep them: nothing is lost, and no secret is where it must not be."""

import json
from typing import Any

from hypothesis import given, settings

from matches import codec
from matches.core.machine import Arrived, Left, Numbered, OutageCredited, State
from tests.matches.core.builders import SALTS, secret_of
from tests.matches.core.test_machine_properties import ALL_TERMS, History, histories

often = settings(max_examples=100, deadline=None)


def stored(value: Any) -> Any:
    """As a database gives it back: tuples become lists, keys text."""
    return json.loads(json.dumps(value))


def states(history: History) -> list[State]:
    return [turn.after for turn in history.turns]


def numbered(history: History) -> list[Numbered]:
    passing = Arrived, Left, OutageCredited
    return [history.created, *(event for event in history.events if not isinstance(event, passing))]


@often
@given(histories())
def test_a_state_comes_back_as_it_went(history: History) -> None:
    for state in states(history):
        row, secrets = stored(codec.state_to_json(state)), stored(codec.secrets_to_json(state))
        assert codec.state_from_json(row, secrets) == state


@often
@given(histories())
def test_an_event_comes_back_as_it_went(history: History) -> None:
    for event in numbered(history):
        kind, data = codec.event_to_json(event)
        assert codec.event_from_json(kind, stored(data), event.at) == event


@often
@given(histories(naming=False))
def test_a_stored_state_holds_no_secret_and_no_salt(history: History) -> None:
    """D22: those have a column of their own."""
    for state in states(history):
        text = json.dumps(codec.state_to_json(state))
        for seat, salt in enumerate(SALTS):
            assert f'"{secret_of(seat, state.terms.length)}"' not in text
            assert salt.hex() not in text


@often
@given(histories(naming=False))
def test_only_the_event_of_a_commit_holds_a_secret(history: History) -> None:
    """D22"""
    for event in numbered(history):
        kind, data = codec.event_to_json(event)
        text = json.dumps(data)
        told = any(f'"{secret_of(seat, history.created.terms.length)}"' in text for seat in (0, 1))
        assert told == (kind == "ready")


def test_terms_come_back_as_they_went() -> None:
    for terms in ALL_TERMS:
        assert codec.terms_from_json(stored(codec.terms_to_json(terms))) == terms

"""The core's values as JSON for the rows, and back. Secrets go apart: `state` never holds one."""

from typing import Any

from matches.core.clock import Clocks
from matches.core.machine import (
    Confirmed,
    Created,
    Ended,
    Guess,
    GuessMarked,
    Limits,
    Numbered,
    Reason,
    Rematch,
    RematchMade,
    RematchOffered,
    Result,
    Said,
    Seat,
    SecretCommitted,
    Started,
    State,
    Status,
)
from matches.core.terms import Clock, ClockKind, Feedback, GuessRule, Start, Terms, Totals

Json = dict[str, Any]
Secrets = list[list[str] | None]


def terms_to_json(terms: Terms) -> Json:
    return {
        "preset": terms.preset,
        "length": terms.length,
        "repeats": terms.repeats,
        "guesses": terms.guesses.value,
        "feedback": terms.feedback.value,
        "totals": terms.totals.value,
        "clock": [terms.clock.kind.value, terms.clock.seconds],
        "start": terms.start.value,
        "never_started": terms.never_started,
        "grace": terms.grace,
        "rated": terms.rated,
    }


def terms_from_json(json: Json) -> Terms:
    kind, seconds = json["clock"]
    return Terms(
        preset=json["preset"],
        length=json["length"],
        repeats=json["repeats"],
        guesses=GuessRule(json["guesses"]),
        feedback=Feedback(json["feedback"]),
        totals=Totals(json["totals"]),
        clock=Clock(ClockKind(kind), seconds),
        start=Start(json["start"]),
        never_started=json["never_started"],
        grace=json["grace"],
        rated=json["rated"],
    )


def state_to_json(state: State) -> Json:
    result, rematch = state.result, state.rematch
    return {
        "terms": terms_to_json(state.terms),
        "limits": _limits_to_json(state.limits),
        "first": state.first,
        "version": state.version,
        "status": state.status.value,
        "turn": state.turn,
        "clocks": [state.clocks.left, state.clocks.running, state.clocks.at],
        "seats": [_seat_to_json(seat) for seat in state.seats],
        "until": state.until,
        "result": result and [result.outcome, result.winner, result.reason.value, result.at],
        "rematch": rematch and [rematch.offered_by, rematch.match],
        "at": state.at,
        "single": state.single,
    }


def state_from_json(json: Json, secrets: Secrets) -> State:
    left, running, at = json["clocks"]
    result, rematch = json["result"], json["rematch"]
    first, second = (_seat_from_json(seat, own) for seat, own in zip(json["seats"], secrets, strict=True))
    return State(
        terms=terms_from_json(json["terms"]),
        limits=Limits(*json["limits"]),
        first=json["first"],
        version=json["version"],
        status=Status(json["status"]),
        turn=json["turn"],
        clocks=Clocks((left[0], left[1]), (running[0], running[1]), at),
        seats=(first, second),
        until=json["until"],
        result=result and Result(result[0], result[1], Reason(result[2]), result[3]),
        rematch=rematch and Rematch(*rematch),
        at=json["at"],
        single=json.get("single", False),  # rows older than tournaments do not say
    )


def secrets_to_json(state: State) -> Secrets:
    return [[seat.code, seat.salt.hex()] if seat.code and seat.salt else None for seat in state.seats]


def _limits_to_json(limits: Limits) -> list[int]:
    return [limits.grace_ms, limits.choose_ms, limits.confirm_ms]


def _seat_to_json(seat: Seat) -> Json:
    return {
        "seen_at": seat.seen_at,
        "connected": seat.connected,
        "confirmed": seat.confirmed,
        "guesses": [[guess.code, guess.marks, guess.at] for guess in seat.guesses],
        "said": seat.said,
    }


def _seat_from_json(json: Json, own: list[str] | None) -> Seat:
    code, salt = own or (None, None)
    return Seat(
        seen_at=json["seen_at"],
        connected=json["connected"],
        code=code,
        salt=bytes.fromhex(salt) if salt else None,
        confirmed=json["confirmed"],
        guesses=tuple(Guess(*guess) for guess in json["guesses"]),
        said=json.get("said", 0),  # rows older than phrases on pages do not say
    )


def event_to_json(event: Numbered) -> tuple[str, Json]:
    """An event's kind and data; its instant has a column of its own."""
    match event:
        case Created(terms, limits, first, _, present, single):
            return "created", {
                "terms": terms_to_json(terms),
                "limits": _limits_to_json(limits),
                "first": first,
                "present": present,
                "single": single,
            }
        case SecretCommitted(seat, code, salt):
            return "ready", {"seat": seat, "code": code, "salt": salt.hex()}
        case Confirmed(seat):
            return "confirmed", {"seat": seat}
        case Started():
            return "started", {}
        case GuessMarked(seat, code, marks):
            return "guess", {"seat": seat, "code": code, "marks": marks}
        case Ended(outcome, winner, reason):
            return "over", {"outcome": outcome, "winner": winner, "reason": reason.value}
        case RematchOffered(seat):
            return "offered", {"seat": seat}
        case RematchMade(seat, match):
            return "rematch", {"seat": seat, "match": match}
        case Said(seat, phrase):
            return "said", {"seat": seat, "phrase": phrase}


def event_from_json(kind: str, data: Json, at: int) -> Numbered:
    """The event that `event_to_json` wrote. Raises `KeyError` for a kind nobody writes."""
    match kind:
        case "created":
            terms, limits = terms_from_json(data["terms"]), Limits(*data["limits"])
            present = (data["present"][0], data["present"][1])
            return Created(terms, limits, data["first"], at, present, data.get("single", False))
        case "ready":
            return SecretCommitted(data["seat"], data["code"], bytes.fromhex(data["salt"]), at)
        case "over":
            return Ended(data["outcome"], data["winner"], Reason(data["reason"]), at)
        case _:
            return _PLAIN[kind](**data, at=at)


_PLAIN: dict[str, type[Confirmed | Started | GuessMarked | RematchOffered | RematchMade | Said]] = {
    "confirmed": Confirmed,
    "started": Started,
    "guess": GuessMarked,
    "offered": RematchOffered,
    "rematch": RematchMade,
    "said": Said,
}

"""The public form of a match: JSON out, frames in. Knows `docs/protocol.md`, decides nothing."""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from matches.core.clock import Clocks
from matches.core.machine import State, forfeits_at
from matches.core.sight import SeatSight, Sight, Telling
from matches.core.terms import Terms
from matches.presenters import Face
from players.problems import Problem

Json = dict[str, Any]

VERBS = ("secret", "confirm", "guess", "resign", "rematch", "flag", "say")
_REF = re.compile(r"[\x21-\x7e]{1,64}")


@dataclass(frozen=True, slots=True)
class Order:
    """What a player asks for, whoever carried it: `code`, `n` and `phrase` mean something to some verbs only."""

    verb: str
    code: str = ""
    n: int | None = None
    phrase: int = 0
    ref: str | None = None


def read_frame(text: str) -> Order:
    """A client's frame. Raises `Problem` bad_request for anything that is not one; fields unknown are ignored."""
    try:
        frame = json.loads(text)
    except (ValueError, RecursionError):
        raise Problem("bad_request") from None
    if not isinstance(frame, Mapping) or not isinstance(frame.get("type"), str) or frame["type"] not in VERBS:
        raise Problem("bad_request")
    verb: str = frame["type"]
    return Order(
        verb=verb,
        code=_text(frame.get("code")) if verb in ("secret", "guess") else "",
        n=_whole(frame["n"]) if verb == "guess" and frame.get("n") is not None else None,
        phrase=_whole(frame.get("phrase")) if verb == "say" else 0,
        ref=read_ref(frame.get("ref")),
    )


def ref_of(text: str) -> str | None:
    """The `ref` of a frame that could not be taken, so that its refusal can be told apart; None where it has none."""
    try:
        frame = json.loads(text)
        return read_ref(frame.get("ref")) if isinstance(frame, Mapping) else None
    except (ValueError, RecursionError, Problem):
        return None


def read_ref(value: object) -> str | None:
    """A command's own mark: 1 to 64 printable ASCII characters. Raises `Problem` bad_request."""
    if value is None:
        return None
    if not isinstance(value, str) or not _REF.fullmatch(value):
        raise Problem("bad_request")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise Problem("bad_request")
    return value


def _whole(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise Problem("bad_request")
    return value


def terms_json(terms: Terms) -> Json:
    return {
        "preset": terms.preset,
        "length": terms.length,
        "repeats": terms.repeats,
        "guesses": terms.guesses.value,
        "feedback": terms.feedback.value,
        "clock": {"kind": terms.clock.kind.value, "seconds": terms.clock.seconds},
        "rated": terms.rated,
    }


def match_json(match_id: str, public: bool, sight: Sight, faces: tuple[Face, Face]) -> Json:
    """The match as its viewer may see it."""
    result = sight.result
    return {
        "id": match_id,
        "version": sight.version,
        "status": sight.status,
        "public": public,
        "terms": terms_json(sight.terms),
        "you": sight.you,
        "first": sight.first,
        "turn": sight.turn,
        "until": sight.until,
        "server_time": sight.server_time,
        "seats": [_seat_json(seat, face) for seat, face in zip(sight.seats, faces, strict=True)],
        "result": result and asdict(result),
        "rematch": None
        if sight.offered_by is None
        else {"offered_by": sight.offered_by, "match": sight.rematch},
    }


def _seat_json(seat: SeatSight, face: Face) -> Json:
    return {"player": asdict(face), **asdict(seat)}


def event_json(telling: Telling) -> Json:
    fields = {name: _plain(value) for name, value in telling.fields.items()}
    return {
        "type": "event",
        "version": telling.version,
        "event": telling.kind,
        **fields,
        "clocks": telling.clocks,
        "turn": telling.turn,
        "server_time": telling.at,
    }


def _plain(value: Any) -> object:
    """A record of plain values as a dict; `asdict` would copy each of them."""
    fields = getattr(value, "__dataclass_fields__", None)
    return value if fields is None else {name: getattr(value, name) for name in fields}


def presence_json(state: State, seat: int) -> Json:
    return {
        "type": "presence",
        "seat": seat,
        "connected": state.seats[seat].connected,
        "forfeits_at": forfeits_at(state, seat),
    }


def tick_json(clocks: Clocks, now: int) -> Json:
    return {"type": "tick", "clocks": clocks.left_at(now), "server_time": max(now, clocks.at)}


def ok_json(ref: str | None, version: int, telling: Telling | None) -> Json:
    """What an accepted command is answered; a guess's answer carries the marked guess."""
    answer: Json = {"type": "ok", "ref": ref, "version": version}
    if telling is not None:
        answer |= {
            name: _plain(value) for name, value in telling.fields.items() if name in ("guess", "rematch")
        }
    return answer


def refused_json(ref: str | None, problem: Problem) -> Json:
    return {"type": "refused", "ref": ref, "code": problem.code, "detail": problem.detail}


def dumps(frame: Json) -> str:
    return json.dumps(frame, separators=(",", ":"), ensure_ascii=False)


def loads(frame: str) -> Json:
    """A frame of our own, read back."""
    parsed: Json = json.loads(frame)
    return parsed

"""The shapes of the public interface, for its checks and its documentation."""

from typing import Literal

from ninja import Schema
from pydantic import BaseModel, Field, StrictInt, StrictStr


class ClockOut(Schema):
    kind: Literal["budget", "move"]
    seconds: int


class TermsOut(Schema):
    preset: str
    length: int
    repeats: bool
    guesses: Literal["strict", "free"]
    feedback: Literal["positions", "totals"]
    clock: ClockOut
    rated: bool


class ClocksOffered(Schema):
    kind: Literal["budget", "move"]
    seconds: list[int]


class PresetOut(Schema):
    """What each term may be; where there is one value, the preset fixes it. The first is the default."""

    preset: str
    length: list[int]
    repeats: list[bool]
    guesses: list[Literal["strict", "free"]]
    feedback: list[Literal["positions", "totals"]]
    clock: ClocksOffered
    rated: list[bool]
    defaults: TermsOut


class PresetsOut(Schema):
    default: str
    presets: list[PresetOut]


class PlayerOut(Schema):
    name: str
    kind: Literal["human", "guest", "bot"]
    points: int


class GuessOut(Schema):
    n: int
    code: str
    marks: str | None
    exact: int
    present: int
    at: int


class SeatOut(Schema):
    player: PlayerOut
    ready: bool
    confirmed: bool
    connected: bool
    forfeits_at: int | None
    clock_ms: int
    running: bool
    commitment: str | None
    salt: str | None
    secret: str | None
    guesses: list[GuessOut]


class ResultOut(Schema):
    outcome: Literal["win", "void", "draw"]
    winner: int | None
    reason: Literal["broken", "time", "resigned", "forfeit", "unplayed", "unconfirmed", "adjudicated"]
    at: int


class RematchState(Schema):
    offered_by: int
    match: str | None


class MatchOut(Schema):
    """A match as its caller may see it; instants and clocks in milliseconds."""

    id: str
    version: int
    status: Literal["choosing", "confirming", "playing", "over"]
    public: bool
    terms: TermsOut
    you: int | None
    first: int
    turn: int | None
    until: int | None
    server_time: int
    seats: list[SeatOut]
    result: ResultOut | None
    rematch: RematchState | None


class In(BaseModel):
    """A body that must be a JSON object. Ninja's own `Schema` would read attributes of whatever else comes."""


class CodeIn(In):
    code: StrictStr


class GuessIn(In):
    code: StrictStr
    n: StrictInt | None = Field(None, description="The number this guess is meant to have on its own board.")


class RematchOut(Schema):
    match: str | None


class MatchIdOut(Schema):
    match: str


class ProblemOut(Schema):
    """RFC 9457, as `application/problem+json`; `code` is the word to program by."""

    type: str
    title: str
    status: int
    detail: str
    code: str

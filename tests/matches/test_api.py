"""The public interface's part on matches, as api.md has it: every call, every answer, every problem."""

import hashlib
from collections.abc import Callable
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from players.models import Kind, User
from tests.builders import ALL_TERMS, HOUR, ORIGIN, Api, Duel, S, dump, person, signed_in

pytestmark = pytest.mark.django_db

GUESS = {"code": "24680"}


def path(duel: Duel, verb: str = "") -> str:
    return f"/matches/{duel.id}{verb and '/'}{verb}"


# The match as its caller may see it


MATCH = {
    *(
        "id",
        "version",
        "status",
        "public",
        "terms",
        "you",
        "turn",
        "server_time",
        "seats",
        "result",
        "rematch",
    ),
    *("first", "until"),  # ours, see docs/decisions.md
}
SEAT = {
    *("player", "ready", "connected", "forfeits_at", "clock_ms", "running"),
    *("commitment", "salt", "secret", "guesses", "confirmed"),
}


def test_a_match_has_the_fields_that_are_promised() -> None:
    duel = Duel().start()
    duel.guess(0, "31605")
    body = Api(duel.players[0]).get(path(duel)).body
    assert set(body) == MATCH
    assert all(set(seat) == SEAT for seat in body["seats"])
    assert body["seats"][0]["player"] == {"name": "ada", "kind": "human", "points": 0}
    (guess,) = body["seats"][0]["guesses"]
    at = guess.pop("at")
    assert guess == {"n": 1, "code": "31605", "marks": "EEEPP", "exact": 3, "present": 2}
    assert 0 <= body["server_time"] - at < 10 * S
    assert body["terms"] == {
        "preset": "duel",
        "length": 5,
        "repeats": True,
        "guesses": "strict",
        "feedback": "positions",
        "clock": {"kind": "budget", "seconds": 300},
        "rated": True,
    }
    assert (body["turn"], body["you"], body["result"], body["rematch"]) == (1, 0, None, None)


@pytest.mark.parametrize(("preset", "asked"), ALL_TERMS)
def test_each_sees_their_own_secret_and_the_end_shows_both_to_all(preset: str, asked: dict[str, Any]) -> None:
    """R4.8, R5.5, and the commitment holds what it promised."""
    duel = Duel(preset, **asked).start()
    callers = [Api(duel.players[0]), Api(duel.players[1]), Api(person("cleo")), Api()]

    def seen(what: str) -> list[list[str | None]]:
        return [[seat[what] for seat in api.get(path(duel)).body["seats"]] for api in callers]

    mine, theirs = duel.secret(0), duel.secret(1)
    assert seen("secret") == [[mine, None], [None, theirs], [None, None], [None, None]]
    assert seen("salt") == [[None, None]] * 4
    (commitments, *others) = seen("commitment")
    assert others == [commitments] * 3
    duel.end()
    assert seen("secret") == [[mine, theirs]] * 4
    for commitment, salt, secret in zip(commitments, seen("salt")[3], (mine, theirs), strict=True):
        assert salt is not None
        assert hashlib.sha256(bytes.fromhex(salt) + secret.encode()).hexdigest() == commitment


@pytest.mark.parametrize(("preset", "asked"), [term for term in ALL_TERMS if "positions" not in str(term)])
def test_under_totals_there_are_no_marks(preset: str, asked: dict[str, Any]) -> None:
    """R3.3, R3.4: exact and present mean the same in every preset."""
    duel = Duel(preset, **asked).start()
    answer = Api(duel.players[0]).post(path(duel, "guesses"), {"code": "31605"}).body
    assert (answer["marks"], answer["exact"], answer["present"]) == (None, 3, 2)
    assert Api().get(path(duel)).body["seats"][0]["guesses"] == [answer]


def test_a_clock_says_what_is_left_at_server_time() -> None:
    """D8: no more when asked again later."""
    duel = Duel().arrive(0, 1).start()
    duel.wait(20 * S)
    first, again = (Api().get(path(duel)).body for _ in range(2))
    spent = again["server_time"] - first["server_time"]
    mover = [body["seats"][0]["clock_ms"] for body in (first, again)]
    assert mover[0] - mover[1] == spent
    assert 279 * S < mover[0] <= 280 * S
    assert first["seats"][1]["clock_ms"] == again["seats"][1]["clock_ms"] > 299 * S
    assert [seat["running"] for seat in first["seats"]] == [True, False]


def test_a_clock_never_shows_less_than_nothing() -> None:
    duel = Duel("classic").start().wait(HOUR)
    assert Api().get(path(duel)).body["seats"][0]["clock_ms"] == 0


def test_the_players_of_a_match_are_who_they_are() -> None:
    duel = Duel(players=(person("ada", Kind.GUEST), person("hal", Kind.BOT, points=3)))
    ada, hal = (seat["player"] for seat in Api().get(path(duel)).body["seats"])
    assert (ada, hal["kind"], hal["points"]) == ({"name": "ada", "kind": "guest", "points": 0}, "bot", 3)


# Play


def test_a_whole_classic_match_over_the_interface() -> None:
    """R4.3, R5 `broken`"""
    duel = Duel("classic")
    ada, bob = map(Api, duel.players)
    status = [
        api.post(path(duel, "secret"), {"code": duel.secret(seat)}).body["status"]
        for seat, api in enumerate((ada, bob))
    ]
    assert status == ["choosing", "confirming"]
    assert [api.post(path(duel, "confirm")).body["status"] for api in (ada, bob)] == ["confirming", "playing"]
    answer = ada.post(path(duel, "guesses"), {"code": "12345", "n": 1})
    assert (answer.status, answer.body["n"], answer.body["exact"], answer.body["present"]) == (201, 1, 0, 3)
    assert bob.post(path(duel, "guesses"), {"code": duel.secret(0)}).status == 201
    over = ada.get(path(duel)).body
    result = over["result"]
    assert (over["status"], over["turn"]) == ("over", None)
    assert (result["outcome"], result["winner"], result["reason"]) == ("win", 1, "broken")
    assert result["at"] == over["seats"][1]["guesses"][0]["at"]


def test_resigning_answers_with_the_end() -> None:
    """R5 `resigned`: at any stage."""
    duel = Duel()
    body = Api(duel.players[1]).post(path(duel, "resign")).body
    assert (body["result"]["reason"], body["result"]["winner"]) == ("resigned", 0)


def test_a_flag_that_has_not_fallen_answers_with_the_match_as_it_stands() -> None:
    """docs/decisions.md"""
    duel = Duel().start()
    assert Api(duel.players[1]).post(path(duel, "flag")).body["status"] == "playing"
    duel.wait_for_due(1)
    assert Api(duel.players[1]).post(path(duel, "flag")).body["status"] == "over"


def test_a_rematch_answers_201() -> None:
    duel = Duel().start().end()
    answers = [Api(player).post(path(duel, "rematch")) for player in duel.players]
    assert [answer.status for answer in answers] == [201, 201]
    assert [answer.body["match"] for answer in answers] == [None, duel.follow().id]
    shown = Api().get(path(duel)).body["rematch"]
    assert shown == {"offered_by": 0, "match": duel.follow().id}


# Refusals, each with its word


def choosing() -> Duel:
    return Duel()


def playing() -> Duel:
    duel = Duel().start()
    duel.guess(0)
    duel.guess(1)
    return duel


def over() -> Duel:
    return Duel().start().end()


REFUSED = {
    "out of turn": (playing, 1, "guesses", GUESS, "out_of_turn"),
    "a guess of an old board": (playing, 0, "guesses", {**GUESS, "n": 1}, "out_of_turn"),
    "a guess before its time": (playing, 0, "guesses", {**GUESS, "n": 9**20}, "out_of_turn"),
    "a guess while choosing": (choosing, 0, "guesses", GUESS, "not_playing"),
    "a guess after the end": (over, 0, "guesses", GUESS, "match_over"),
    "a secret after the end": (over, 0, "secret", GUESS, "match_over"),
    "a second secret": (playing, 0, "secret", GUESS, "already_ready"),
    "nothing to confirm": (playing, 0, "confirm", None, "not_playing"),
    "resigning after the end": (over, 1, "resign", None, "match_over"),
    "a rematch while it goes on": (playing, 0, "rematch", None, "not_over"),
    "no code": (playing, 0, "guesses", {"code": "2468"}, "bad_code"),
    "no body": (playing, 0, "guesses", None, "bad_request"),
    "no JSON": (playing, 0, "guesses", b"{", "bad_request"),
    "no object": (playing, 0, "guesses", [GUESS], "bad_request"),
    "a number for a code": (playing, 0, "guesses", {"code": 24680}, "bad_request"),
    "null for a code": (playing, 0, "secret", {"code": None}, "bad_request"),
    "text for a number": (playing, 0, "guesses", {**GUESS, "n": "3"}, "bad_request"),
    "a fraction for a number": (playing, 0, "guesses", {**GUESS, "n": 3.0}, "bad_request"),
    "yes for a number": (playing, 0, "guesses", {**GUESS, "n": True}, "bad_request"),
    "not UTF-8": (playing, 0, "guesses", b'{"code": "\xff\xfe"}', "bad_request"),
    "a nest": (playing, 0, "guesses", b"[" * 4000, "bad_request"),
    "half a character": (playing, 0, "guesses", b'{"code": "\\ud8001"}', "bad_code"),
    "too large": (playing, 0, "guesses", {"code": "1" * 4096}, "too_large"),
}


@pytest.mark.parametrize(("made", "seat", "verb", "body", "code"), REFUSED.values(), ids=[*REFUSED])
def test_a_refusal_is_a_problem_with_its_word_and_changes_nothing(
    made: Callable[[], Duel], seat: int, verb: str, body: Any, code: str
) -> None:
    duel = made()
    before = dump()
    assert Api(duel.players[seat]).post(path(duel, verb), body).code == code
    assert dump() == before


def test_a_bad_code_is_told_what_a_code_looks_like_here() -> None:
    """R1.2: of that length, and all different where they must be."""
    duel = Duel(length=4, repeats=False).start()
    api = Api(duel.players[0])
    detail = api.post(path(duel, "guesses"), {"code": "12345"}).body["detail"]
    assert "4" in detail
    assert "different" in detail


@pytest.mark.parametrize("size", [4096, 4097, 10_000_000])
def test_a_body_over_4_kb_is_refused_by_its_size(size: int) -> None:
    """R1.2"""
    duel = playing()
    body = b'{"code": "24680"}'.ljust(size)
    answer = Api(duel.players[0]).post(path(duel, "guesses"), body)
    assert answer.code == ("too_large" if size > 4096 else None)
    assert len(duel.state.seats[0].guesses) == (1 if size > 4096 else 2)


# Who may do what

CALLS = [
    *[("GET", verb, None) for verb in ("",)],
    *[("POST", verb, GUESS) for verb in ("secret", "guesses")],
    *[("POST", verb, None) for verb in ("confirm", "resign", "flag", "rematch")],
]
everywhere = pytest.mark.parametrize(
    ("method", "verb", "body"), CALLS, ids=[verb or "look" for _, verb, _ in CALLS]
)


@everywhere
@pytest.mark.parametrize("public", [True, False])
def test_who_plays_it_may_all(method: str, verb: str, body: Any, public: bool) -> None:
    """No call is refused for want of rights."""
    duel = Duel(public=public)
    assert Api(duel.players[1]).call(method, path(duel, verb), body).status in (200, 201, 409)


@everywhere
@pytest.mark.parametrize("who", ["nobody", "outsider", "guest", "staff"])
@pytest.mark.parametrize("public", [True, False])
def test_who_does_not_may_look_at_a_public_one(
    method: str, verb: str, body: Any, public: bool, who: str
) -> None:
    """D23: a public match is `forbidden` to play, a private one is `not_found`; nobody is told to sign in first."""
    duel = Duel(public=public).start()
    user: User | None = None
    if who != "nobody":
        kind = Kind.GUEST if who == "guest" else Kind.HUMAN
        user = person("cleo", kind, is_superuser=who == "staff", is_staff=who == "staff")
    before = dump()
    answer = Api(user).call(method, path(duel, verb), body)
    if method == "GET":
        assert answer.code == (None if public else "not_found")
        if public:
            assert answer.body["you"] is None
    elif who == "nobody":
        assert answer.code == "not_signed_in"
    else:
        assert answer.code == ("forbidden" if public else "not_found")
    assert dump() == before


@everywhere
@pytest.mark.parametrize(
    "header", ["Bearer nonsense", "Bearer ", "Bearer", "", "Basic YTpi", "bearer é", "Bearer " + "x" * 3000]
)
def test_a_bad_token_is_401_even_where_none_is_needed(method: str, verb: str, body: Any, header: str) -> None:
    duel = Duel()
    assert Api(Authorization=header).call(method, path(duel, verb), body).code == "not_signed_in"


def test_a_token_of_somebody_who_may_not_play_is_no_token() -> None:
    duel = Duel()
    api = Api(duel.players[0])
    assert api.get(path(duel)).body["you"] == 0
    User.objects.filter(pk=duel.players[0].pk).update(is_active=False)
    assert api.get(path(duel)).code == "not_signed_in"


def test_a_token_counts_more_than_a_cookie() -> None:
    """Who says who they are is taken at their word, not at their browser's."""
    duel = Duel()
    ada, bob = duel.players
    assert Api(bob, client=signed_in(ada)).get(path(duel)).body["you"] == 1
    assert Api(client=signed_in(ada), Authorization="Bearer x").get(path(duel)).code == "not_signed_in"


def test_a_cookie_reads_but_plays_only_with_its_csrf_token() -> None:
    """D25"""
    duel = Duel()
    client = signed_in(duel.players[0], enforce_csrf_checks=True)
    api = Api(client=client)
    assert api.get(path(duel)).body["you"] == 0
    before = dump()
    assert api.post(path(duel, "resign")).code == "forbidden"
    assert api.post(path(duel, "resign"), X_CSRFToken="x" * 32).code == "forbidden"
    assert dump() == before
    token = client.get(f"/m/{duel.id}/").context["csrf_token"]
    assert api.post(path(duel, "resign"), X_CSRFToken=str(token)).status == 200


def test_a_cookie_with_a_csrf_token_from_a_foreign_page_plays_nothing() -> None:
    """D25"""
    duel = Duel()
    client = signed_in(duel.players[0], enforce_csrf_checks=True)
    token = str(client.get(f"/m/{duel.id}/").context["csrf_token"])
    api = Api(client=client, X_CSRFToken=token)
    assert api.post(path(duel, "resign"), Origin="https://evil.example").code == "forbidden"
    assert api.post(path(duel, "resign"), Origin=ORIGIN).status == 200


def test_nobody_with_a_cookie_of_nobodys_is_told_to_sign_in() -> None:
    client = Client(enforce_csrf_checks=True)
    client.cookies[settings.SESSION_COOKIE_NAME] = "x" * 32
    assert Api(client=client).post(path(Duel(), "resign")).code == "not_signed_in"


# My running matches


def test_my_running_matches_are_mine_and_running() -> None:
    ada, bob, cleo = (person(name) for name in ("ada", "bob", "cleo"))
    running = [Duel(players=(ada, bob)).wait(S), Duel(players=(cleo, ada), public=False).start()]
    Duel(players=(ada, bob)).start().end()
    Duel(players=(bob, cleo))
    mine = Api(ada).get("/matches?mine=live").body
    assert {match["id"] for match in mine} == {duel.id for duel in running}
    assert [match["you"] for match in mine] == [1, 0]  # the newest first
    assert mine[0] == {**Api(ada).get(path(running[1])).body, "server_time": mine[0]["server_time"]} | {
        "seats": mine[0]["seats"]
    }


@pytest.mark.parametrize("query", ["", "?mine=", "?mine=all", "?mine=live2", "?mine"])
def test_other_lists_there_are_none(query: str) -> None:
    assert Api(person("ada")).get(f"/matches{query}").code == "bad_request"


def test_nobody_has_no_running_matches() -> None:
    assert Api().get("/matches?mine=live").code == "not_signed_in"


# Idempotency


def test_a_guess_repeated_under_its_key_gets_the_first_answer() -> None:
    """Whatever has happened in between, and whatever the repeat says."""
    duel = Duel().start()
    api = Api(duel.players[0], Idempotency_Key="k-1")
    first = api.post(path(duel, "guesses"), GUESS)
    duel.guess(1)
    before = dump()
    again = api.post(path(duel, "guesses"), {"code": "13579"})
    assert (again.status, again.body) == (first.status, first.body)
    assert dump() == before


def test_a_guess_refused_under_its_key_is_refused_again() -> None:
    duel = Duel().start()
    api = Api(duel.players[1], Idempotency_Key="k-1")
    assert api.post(path(duel, "guesses"), GUESS).code == "out_of_turn"
    duel.guess(0)
    assert api.post(path(duel, "guesses"), GUESS).code == "out_of_turn"


@pytest.mark.parametrize("verb", ["secret", "flag", "say"])
def test_a_key_that_was_used_for_something_else_is_no_guess(verb: str) -> None:
    """One namespace with the socket's ref: refused in words, no 500."""
    duel = Duel()
    if verb == "secret":
        duel.commit(0, ref="k-1")
        duel.commit(1)
    else:
        duel.start()
        duel.do(0, verb, phrase=1, ref="k-1")
    api = Api(duel.players[0], Idempotency_Key="k-1")
    assert api.post(path(duel, "guesses"), GUESS).code == "invalid"
    assert duel.state.moves == 0


@pytest.mark.parametrize("key", ["x" * 65, "é", "a b", "a\tb"])
def test_a_key_that_is_none_is_refused(key: str) -> None:
    duel = Duel().start()
    answer = Api(duel.players[0], Idempotency_Key=key).post(path(duel, "guesses"), GUESS)
    assert (answer.code, duel.state.moves) == ("bad_request", 0)


@pytest.mark.parametrize("key", ["x" * 64, "f81d4fae-7dec-11d0-a765-00a0c91e6bf6", '"quoted"', "~!"])
def test_a_key_is_any_printable_word(key: str) -> None:
    duel = Duel().start()
    answer = Api(duel.players[0], Idempotency_Key=key).post(path(duel, "guesses"), GUESS)
    assert answer.status == 201


# What is not there


@pytest.mark.parametrize(
    "where",
    [
        "/nothing",
        "/matches/ABCDEFGH",
        "/matches/short",
        "/matches/longer-than-an-id",
        "/matches/١٢٣٤٥٦٧٨",
        "/matches/%00%00%00%00%00%00%00%00",
        "/matches/../../admin",
        "/",
    ],
)
def test_what_is_not_there_is_a_problem_too(where: str) -> None:
    assert Api().get(where).code == "not_found"
    assert Api(person("ada")).post(where, {}).code == "not_found"


def test_a_wrong_method_is_told_which_are_right() -> None:
    duel = Duel()
    answer = Api(duel.players[0]).delete(path(duel))
    assert (answer.status, answer.response["Allow"]) == (405, "GET")
    assert Api(duel.players[0]).get(path(duel, "guesses")).status == 405


# The words


@pytest.mark.parametrize(
    "language", ["en", "en-GB,en;q=0.9", "it", "it-IT,it;q=0.8,en;q=0.5", "xx", "*", "²;q=x", ""]
)
def test_a_detail_comes_whatever_language_is_asked_for(language: str) -> None:
    duel = Duel().start()
    answer = Api(duel.players[1], Accept_Language=language).post(path(duel, "guesses"), GUESS)
    assert answer.code == "out_of_turn"
    italian = language.startswith("it")
    assert (answer.body["detail"] == "It is not your turn.") == (not italian)


def test_a_problem_is_a_document_of_its_kind() -> None:
    """RFC 9457"""
    answer = Api().get("/matches/00000000")
    assert answer.body == {
        "type": "about:blank",
        "title": "Not found",
        "status": 404,
        "detail": "There is nothing here.",
        "code": "not_found",
    }

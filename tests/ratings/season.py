"""A season of matches for a site that runs, played through its verbs: `manage.py shell -c "…; play()"`.

Prints as JSON the names and the session of somebody who stands far down the ladder.
"""

import json

from django.conf import settings

from players.models import User
from tests.builders import person, signed_in
from tests.ratings.builders import easy, lost, many_results

NAMES = "Aurelio Marta Kenji Elena Bruno Noor Ines Giulia Tomas Lucia Piero Anna Nicolò Ada".split()
MATCHES = 45


def play() -> None:
    """Each wins once less than who stands above; the first has a long history against the second."""
    players = [person(name) for name in NAMES]
    many_results(players[1], players[0], MATCHES)
    for place, player in enumerate(players):
        for number in range(len(players) - place):
            rival = players[place - 1 - number % 3]
            classic = number % 5 == 0  # in which the guesses of these tests are not lawful
            lost((rival, player), None if classic else number % 4, "classic" if classic else "duel")
    lost((easy(), players[0]))
    lost((players[0], players[-1]), rated=False)
    print(json.dumps({"top": NAMES[0], "far": NAMES[-1], "session": _session(players[-1])}))  # noqa: T201


def _session(player: User) -> str:
    return str(signed_in(player).cookies[settings.SESSION_COOKIE_NAME].value)

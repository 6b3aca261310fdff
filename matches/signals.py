"""What other rooms may hear of matches, after the commit. Heard twice, late or never: a sweep makes whole.

`match_made(match_id, state)`: two players have been seated. `match_moved(match_id, state)`: something has happened,
the end included. `state` is the machine's, with the secrets: whoever listens acts on what `sight` shows of it.
"""

from django.dispatch import Signal

match_made = Signal()
match_moved = Signal()

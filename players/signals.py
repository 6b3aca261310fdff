"""What other rooms may hear of players.

`player_suspended(player)`: a player is being suspended, in the transaction that does it. What could
become a match is to be withdrawn, then what they play is to be lost. Their row is locked, but for its key. May be
heard twice.
"""

from django.dispatch import Signal

player_suspended = Signal()

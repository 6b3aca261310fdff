"""Players: people, guests and bots; their names, their tokens."""

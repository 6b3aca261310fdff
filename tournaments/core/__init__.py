"""The rules of tournaments, pure. Knows the standard library only."""

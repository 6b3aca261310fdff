"""Entries, rounds, pairings and the bracket."""

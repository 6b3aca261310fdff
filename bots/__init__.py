"""Bots: what they know, how they choose, when they answer."""

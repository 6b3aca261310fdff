"""Lobby's own rules, pure: values in, values out."""

"""Arithmetic of points and charts. The standard library only."""

"""What a bot knows and how it chooses. The standard library, NumPy and the game's own core; chance is handed in."""

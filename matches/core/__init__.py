"""The game itself: values in, values out. No Django, no I/O, no clock and no chance of its own."""

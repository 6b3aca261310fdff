"""What pages show of calls."""

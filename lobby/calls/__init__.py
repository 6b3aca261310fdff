"""What calls a player back to a match while no page of it is open: by Web Push, by letter."""

"""Points, the ledger they come from, and the ladders."""

"""Matches: the rules, the one decider, what a viewer may see, and the page, socket and API around them."""

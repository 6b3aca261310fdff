"""Cards: what a link to this site looks like where it is shared, 1200 × 630 (Open Graph)."""

"""Tags that show results on other rooms’ pages."""

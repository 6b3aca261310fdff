"""Tags that show titles on other rooms’ pages."""

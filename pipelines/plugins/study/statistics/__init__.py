"""Statistics that only this plugin needs, on plain numbers."""

"""The recipes, by the kind of reader."""

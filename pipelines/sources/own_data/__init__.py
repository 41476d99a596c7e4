"""A user's own data: rows, folders, translations, tables, and files of predictions."""

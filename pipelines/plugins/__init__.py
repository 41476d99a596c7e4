"""What not every user needs: each folder is a plugin, whose `plugin.py` says what it offers."""

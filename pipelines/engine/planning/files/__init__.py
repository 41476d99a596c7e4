"""Files that say what is run: settings, prices."""

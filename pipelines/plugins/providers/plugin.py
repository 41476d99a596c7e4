"""What this plugin offers: its components, which are found by their folder."""

from longdoc.plugin import Plugin

PLUGIN = Plugin()

"""Score predictions that other programs made: `longdoc score`."""

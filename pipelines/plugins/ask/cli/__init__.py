"""The commands that ask documents of your own: `ask` and `index`."""

"""How results are written for people: numbers, tables, the terminal, the style of plots."""

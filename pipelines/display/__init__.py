"""How results are displayed: numbers, tables, the terminal, the style of plots."""

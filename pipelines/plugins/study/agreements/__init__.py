"""How far people, labels and judges agree."""

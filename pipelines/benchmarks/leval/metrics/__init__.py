"""The metrics that only L-Eval has."""

PRESETS = {"choices_leval": "choice_leval:multiple=true"}
HIDDEN = ()

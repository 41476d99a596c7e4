"""How much gold evidence recipes find, without a model: `longdoc evidence`."""

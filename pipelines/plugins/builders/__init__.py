"""Make data out of other data, or by rule: `longdoc data build`."""

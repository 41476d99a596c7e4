"""For type checkers, in a checkout: `longdoc.models` is `models`."""

from models import *

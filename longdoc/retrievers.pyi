"""For type checkers, in a checkout: `longdoc.retrievers` is `retrievers`."""

from retrievers import *

"""For type checkers, in a checkout: `longdoc.chunkers` is `chunkers`."""

from chunkers import *

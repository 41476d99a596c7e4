"""For type checkers, in a checkout: `longdoc.pipelines` is `pipelines`."""

from pipelines import *

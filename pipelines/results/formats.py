"""The format numbers of the files in folders of runs and ablations, as `format` in them.

A version reads its own format and those that were released before, and refuses others in a line. Who raises a number
adds a folder in the new format to tests/pipelines/runs/formats, where make.py makes it: from then on a test opens it.
That test fails while the present format has none.
"""

FORMAT = 5
READ = range(5, FORMAT + 1)

ABLATION_FORMAT = 4
ABLATIONS_READ = range(4, ABLATION_FORMAT + 1)

"""The format numbers of the files in folders of runs and ablations, as `format` in them.

A version reads its own format and those released before, and refuses others. Whoever raises a number adds a folder in
the new format to tests/pipelines/runs/formats with make.py there; a test opens it, and fails until it exists.
"""

FORMAT = 6
READ = range(6, FORMAT + 1)
READERS = {5: "0.5.0.dev0 at commit de7ca09e"}  # the last version that read each format which is no longer read

ABLATION_FORMAT = 4
ABLATIONS_READ = range(4, ABLATION_FORMAT + 1)

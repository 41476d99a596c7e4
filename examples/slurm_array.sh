#!/bin/bash
# One run made by the tasks of a SLURM job array, each a shard of the documents, and merged when all have ended:
#
#   job=$(sbatch --parsable --array=1-8 examples/slurm_array.sh runs/qasper scrolls/qasper --model google/flan-t5-large)
#   sbatch --dependency=afterany:"$job" examples/slurm_array.sh runs/qasper
#
# The first argument is the folder of the merged run; the shards are beside it, in runs/qasper-shards/1 to 8. The others
# are those of `longdoc run`, without --shard and --out. The array starts at 1. A shard that died is resumed by its
# number, with the count of all:
#
#   job=$(SHARDS=8 sbatch --parsable --array=3 examples/slurm_array.sh runs/qasper scrolls/qasper --model google/flan-t5-large)
#   sbatch --dependency=afterany:"$job" examples/slurm_array.sh runs/qasper
#
#SBATCH --job-name=longdoc
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=4
#SBATCH --time=04:00:00
#SBATCH --requeue
#SBATCH --open-mode=append
##SBATCH --gpus-per-task=1

set -euo pipefail

if [[ $# -lt 1 ]]; then
    echo "usage: sbatch --array=1-N $0 OUT TASK [OPTIONS of longdoc run], then: sbatch $0 OUT" >&2
    exit 2
fi
out=$1
shift

if [[ -n ${SLURM_ARRAY_TASK_ID:-} ]]; then
    srun longdoc run "$@" --shard "$SLURM_ARRAY_TASK_ID/${SHARDS:-$SLURM_ARRAY_TASK_COUNT}" \
        --out "$out-shards/$SLURM_ARRAY_TASK_ID" --no-report
else
    srun longdoc runs merge "$out"-shards/* --out "$out"
fi

#!/usr/bin/env bash
# One vLLM (or SGLang) server on each GPU of this machine, then a run of longdoc that asks all of them.
#
#   examples/vllm_replicas.sh MODEL COMMAND [ARGUMENT…]
#   examples/vllm_replicas.sh Qwen/Qwen3-8B longdoc run narrativeqa --k 20 --out runs/qwen
#
# COMMAND is run with `--model openai:MODEL,base_url=[…],…` at its end once the servers are healthy; they are stopped
# when it ends. Give the same line again to go on where a run was interrupted.
#
#   SERVER=sglang      start SGLang instead of vLLM
#   GPUS="0 1 2 3"     the GPUs to use; all that nvidia-smi lists without it
#   PORT=8000          the first server's port; the others have the next ones
#   WINDOW=32768       the context window, of the servers and of the prompts
#   CONCURRENCY=32     requests under way at each server
#   SERVER_ARGS="…"    further arguments of each server, such as "--dtype bfloat16"
#   WAIT=1800          seconds until all servers must be healthy
#   HOST=127.0.0.1     the address that the servers listen on; 0.0.0.0 lets other machines ask them too
#   LOGS=server-logs   the folder of the servers' output
set -euo pipefail

if [ $# -lt 2 ]; then
    sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0" >&2
    exit 2
fi
MODEL=$1
shift
SERVER=${SERVER:-vllm}
HOST=${HOST:-127.0.0.1}
PORT=${PORT:-8000}
WINDOW=${WINDOW:-32768}
CONCURRENCY=${CONCURRENCY:-32}
WAIT=${WAIT:-1800}
LOGS=${LOGS:-server-logs}
GPUS=${GPUS:-$(nvidia-smi --query-gpu=index --format=csv,noheader)}
mkdir -p "$LOGS"

pids=()
stop() {
    trap - EXIT INT TERM
    [ ${#pids[@]} -eq 0 ] || kill "${pids[@]}" 2>/dev/null || true
    wait
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

serve() { # GPU PORT
    case $SERVER in
    vllm) set -- "$1" "$2" vllm serve "$MODEL" --max-model-len "$WINDOW" ;;
    sglang) set -- "$1" "$2" python -m sglang.launch_server --model-path "$MODEL" --context-length "$WINDOW" ;;
    *) echo "SERVER is vllm or sglang, not $SERVER" >&2 && exit 2 ;;
    esac
    # shellcheck disable=SC2086  (SERVER_ARGS are several words)
    CUDA_VISIBLE_DEVICES=$1 "${@:3}" --host "$HOST" --port "$2" ${SERVER_ARGS:-} >"$LOGS/$SERVER-$2.log" 2>&1 &
    pids+=($!)
}

healthy() { # PORT
    curl --silent --fail --max-time 10 --output /dev/null "http://127.0.0.1:$1/health"
}

ports=()
for gpu in $GPUS; do
    port=$((PORT + ${#ports[@]}))
    if healthy "$port"; then
        echo "port $port is in use already: give another PORT" >&2
        exit 2
    fi
    serve "$gpu" "$port"
    ports+=("$port")
done

deadline=$((SECONDS + WAIT))
for i in "${!ports[@]}"; do
    until healthy "${ports[$i]}"; do
        if ! kill -0 "${pids[$i]}" 2>/dev/null || [ "$SECONDS" -ge "$deadline" ]; then
            echo "the server on port ${ports[$i]} did not become healthy; the end of $LOGS/$SERVER-${ports[$i]}.log:" >&2
            tail -n 20 "$LOGS/$SERVER-${ports[$i]}.log" >&2
            exit 1
        fi
        sleep "${EVERY:-2}"
    done
done

urls=()
for port in "${ports[@]}"; do
    urls+=("http://127.0.0.1:$port/v1")
done
list=$(IFS=, && echo "${urls[*]}")
"$@" --model "openai:$MODEL,base_url=[$list],window=$WINDOW,concurrency=$CONCURRENCY"

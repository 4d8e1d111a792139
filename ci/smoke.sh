#!/usr/bin/env bash
# Every benchmark once with tiny parameters, on Odeon, its floors and the peers: shows that they work, measures nothing.
set -euo pipefail
cd "$(dirname "$0")/.."
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# As the tests are built, which build it too: without them libraries would have other features, and be compiled anew.
cargo test --workspace --features odeon-cli/full --no-run
cargo build --manifest-path tools/odeon-peers/Cargo.toml
odeon=${CARGO_TARGET_DIR:-target}/debug/odeon
export ODEON_PEERS=${CARGO_TARGET_DIR:-tools/odeon-peers/target}/debug/odeon-peers

common=(--samples 2 --warmup 0 --vs tokio,kameo,ractor)
"$odeon" bench ring --hops 1000 --stage both "${common[@]}" --json "$out/ring.jsonl" --plot "$out/ring.svg"
"$odeon" bench pingpong --rounds 500 --stage both "${common[@]}"
"$odeon" bench fjthrput --messages 100 --mailboxes 1 --stage both "${common[@]}"
"$odeon" bench fjthrput --messages 100 --mailboxes 1,64 --stage both --samples 2 --warmup 0
"$odeon" bench fjthrput --messages 100 --stats off,on --samples 2 --warmup 0
"$odeon" bench create --actors 200 "${common[@]}"
"$odeon" bench chameneos --creatures 10 --meetings 200 "${common[@]}"
"$odeon" bench big --actors 10 --pings 50 "${common[@]}"
"$odeon" bench count --messages 1000 "${common[@]}"
"$odeon" bench forward --actors 20 --tokens 5 --hops 100 --order fifo,lifo,central --workers 1,2 --samples 2 --warmup 0
"$odeon" bench timers --pending 1000 --timers 1000 --cancel newest,oldest --samples 2 --warmup 0
"$odeon" bench list --list-actors 1,4 --requesters 5 --requests 20 --range 400 --workload read,write,mixed \
  "${common[@]}" --json "$out/list.jsonl" --plot "$out/list.svg"
"$odeon" bench list --list-actors 1 --requesters 5 --requests 20 --range 400 --samples 1 --history "$out/history.jsonl"
"$odeon" bench list --list-actors 1,3 --requesters 5 --requests 20 --range 400 --workload write --mode plain,sequential,concurrent,adaptive,threshold \
  --samples 1 --warmup 0
"$odeon" bench list --list-actors 3 --requesters 5 --requests 20 --range 400 --workload mixed --mode plain,concurrent --spread range,hash \
  --sum kept,snapshot,transaction,relaxed --samples 1 --warmup 0
"$odeon" bench list --list-actors 3 --requesters 5 --requests 20 --range 400 --workload mixed --mode sequential,concurrent,nonblocking,combined,adaptive \
  --sum coordinated,coordinated-snapshot --hop-delay 0,20 --samples 1 --warmup 0
"$odeon" bench transfer --mode adaptive,nonblocking,combined,sequential,concurrent --hot 0,50 --transfers 500 --samples 1 --warmup 0
"$odeon" bench list --reproduce --quick --out "$out/papers"
"$odeon" bench bank --accounts 20 --transfers 500 "${common[@]}"
"$odeon" bench banking --accounts 20 --transfers 500 --version selector,actor --samples 2 --warmup 0
"$odeon" bench logmap --series 5 --terms 100 --version selector,actor --samples 2 --warmup 0
"$odeon" bench bndbuffer --buffer 30 --producers 20 --consumers 8 --items 50 --version declared,imperative,actor --samples 2 --warmup 0
"$odeon" bench adderjoin --sources 4,36 --numbers 1000 --version any-order,round-robin,actor --samples 2 --warmup 0
"$odeon" bench filterbank --items 200 --columns 20 --channels 3 --version any-order,round-robin,actor --samples 2 --warmup 0
"$odeon" bench pressure --milliseconds 300 --producer actor,thread,async --samples 2 --warmup 0
"$odeon" bench restart --restarts 20 --queued 200 --samples 2 --warmup 0
"$odeon" bench nqueens --size 7 --threshold 3 --solvers 5 --limit 10,100 --version selector,actor,queue --samples 2 --warmup 0
"$odeon" bench astar --edge 12 --searchers 5 --threshold 50 --first farthest,nearest --version selector,actor,queue --samples 2 --warmup 0
"$odeon" bench philosophers --philosophers 2,20 --rounds 50 --version selector,actor,retries --samples 2 --warmup 0
"$odeon" bench barber --haircuts 200 --seats 3,100 --version selector,actor,retries --samples 2 --warmup 0
"$odeon" bench cigsmok --rounds 100 --smokers 5 --version selector,actor --samples 2 --warmup 0
"$odeon" bench stm --case read-write,disjoint,transfer --threads 1,2 --variables 10,100 --length 2,5 --transactions 500 \
  --samples 2 --warmup 0 --vs stm,fast-stm --json "$out/stm.jsonl" --plot "$out/stm.svg"
"$odeon" bench stm --case walk-snapshot,walk-logged,walk-direct --nodes 50 --transactions 50 --samples 2 --warmup 0
"$odeon" bench stm --case counter,counter-var,map,writer --transactions 500 --samples 2 --warmup 0
"$odeon" bench front --mode call,ask,speculative,mutex,parking_lot,tokio_mutex,channel --askers threads,tasks --senders 1,4 --handler-ns 0,500 \
  --deposits 500 --samples 1 --warmup 0
"$odeon" bench ledger --mode adaptive,concurrent,sequential,plain,sharded,mutex,rwlock --handler-ns 0,500 --conflict 0,50 --reads 0,20 --entries 500 \
  --samples 1 --warmup 0
"$odeon" bench ledger --mode adaptive --conflict 100 --entries 500 --samples 1 --warmup 0 --trace "$out/trace.jsonl"
"$odeon" bench ledger --mode adaptive,mutex --entries 500 --seconds 1 --samples 1 --warmup 0
"$odeon" bench accounts --mode adaptive,concurrent,sequential,plain,mutex,rwlock --hot 0,50 --audits 0,10 --transfers 500 --samples 1 --warmup 0
"$odeon" bench accounts --mode sharded --transfers 500 --samples 1 --warmup 0
"$odeon" bench tmap --mode adaptive,concurrent,sequential,plain,sharded,mutex,rwlock --skew 0,99 --requests 500 --samples 1 --warmup 0
"$odeon" bench geostat --grid 40 --mode adaptive,concurrent,sequential,threshold --reads relaxed,logged,snapshot --step request,point \
  --log-points 500 --samples 1 --warmup 0
printf '0 0 1\n20 20 0\n' > "$out/wells.txt"
mkdir "$out/geostat"
"$odeon" bench geostat --grid 40 --log-points 500 --conditioning "$out/wells.txt" --samples 1 --warmup 0 --out "$out/geostat"
"$odeon" bench geostat --grid 30 --ti "$out/geostat/training-image.png" --samples 1 --warmup 0
"$odeon" bench geostat --grid 30 --ti "$out/geostat/result.dat" --radius 10 --samples 1 --warmup 0 --trace "$out/geostat/trace.jsonl"
"$odeon" bench geostat --reproduce --quick --out "$out/subsurface"
"$odeon" bench beside --askers 0,4 --asked ledger,another --handler-ns 0,500 --entries 500 --samples 1 --warmup 0
"$odeon" bench threadring --hops 1000 --kind local,remote --stage both --samples 2 --warmup 0
"$odeon" bench threadring --hops 1000 --kind mobile --samples 2 --warmup 0
"$odeon" bench theaterrings --rings 1,10 --hops 100 --kind remote,mobile --samples 2 --warmup 0
"$odeon" bench migrationrings --actors 3 --migrations 10 --pace own,asked --samples 2 --warmup 0
"$odeon" bench remotethroughput --messages 2000 --bytes 8,256,10000 --actors 1,10 --floor messages,frames --samples 1 --warmup 0
"$odeon" bench remoteask --rounds 50 --floor zenoh,tcp --samples 2 --warmup 0
"$odeon" bench remotecreate --actors 200 --kind remote,mobile --samples 2 --warmup 0
"$odeon" bench remotecreate --actors 200 --created moved --kind mobile --samples 2 --warmup 0
"$odeon" bench remotecreate --actors 200 --created here --kind local,remote,mobile --samples 2 --warmup 0
"$odeon" bench remotecreate --actors 200 --created referred --kind remote --samples 2 --warmup 0
"$odeon" bench theaters --reproduce --quick --out "$out/salsa"
"$odeon" bench kmeans --rows 2000 --rounds 0,5 --floor rayon,sequential --cpu-workers 1,3 --samples 2 --warmup 0 --json "$out/kmeans.jsonl"
"$odeon" bench kmeans --rows 2000 --rounds 40 --device-workers 0 --way mixed,balanced --samples 1 --warmup 0
"$odeon" bench kmeans --rows 2000 --rounds 5 --way direct --samples 1 --warmup 0
"$odeon" bench kmeans --rows 2000 --rounds 5 --way middleware --served-by cpu,direct,kernel --samples 1 --warmup 0
"$odeon" bench kmeans --rows 2000 --rounds 5 --way kernel --samples 1 --warmup 0
"$odeon" bench launch --launches 500 --wait each,last --batch 1,16 --samples 2 --warmup 0
"$odeon" bench logreg --rows 2000 --rounds 5 --floor rayon,sequential --samples 2 --warmup 0
"$odeon" bench logreg --rows 2000 --rounds 40 --device-workers 0 --way cpu,mixed,balanced --samples 1 --warmup 0
# By kernels where there is a device for them, or a driver that stands in for one.
kernels() { # what runs by kernels
  if ! "$odeon" bench "$@" --samples 1 --warmup 0 2> "$out/kernels.txt"; then
    grep -q "no GPU here, and no driver" "$out/kernels.txt" || { cat "$out/kernels.txt" >&2; exit 1; }
    echo "skipped: bench $*: no device for kernels"
  fi
}
kernels launch --launches 50 --way kernel --wait each,last
kernels logreg --rows 2000 --rounds 5 --way kernel
kernels geostat --grid 20 --log-points 100 --search kernel
"$odeon" bench heterogeneous --reproduce --quick --out "$out/thesis"
"$odeon" bench phases --entries 1000 --handler-ns 200 --samples 2
"$odeon" bench scale --handler-ns 0,200 --samples 1 --run-ms 2 --json "$out/scale.jsonl" --page "$out/scale.md"
test -s "$out/scale.jsonl" && grep -q '^## Simulated' "$out/scale.md"
"$odeon" bench hot --accounts 100 --transfers 2000 --zipf 0,1.5 --auditors 1 --samples 1 --syncs 3 --sequence-mib 1 --json "$out/hot.jsonl" --page "$out/hot.md"
test -s "$out/hot.jsonl" && grep -q '^## Recovery' "$out/hot.md"
mkdir "$out/hardware"
"$odeon" bench figures --hardware --quick --samples 1 --warmup 0 --within 15 --json "$out/hardware/all.jsonl"
"$odeon" bench figures --hardware --quick --from "$out/hardware/all.jsonl" --report "$out/hardware.md"
grep -q '^## Real hardware' "$out/hardware.md"
"$odeon" bench figures --from docs/figures.jsonl --report "$out/figures.md" --headlines "$out/benchmarks.md"
grep -q '^## All medians' "$out/figures.md"
"$odeon" bench idle --actors 2000 --cpu-actors 200 --seconds 1
test -s "$out/papers/index.html" && test -s "$out/salsa/index.html" && test -s "$out/subsurface/index.html" && test -s "$out/geostat/result.png" && test -s "$out/ring.jsonl" && test -s "$out/list.svg" && test -s "$out/history.jsonl" && test -s "$out/stm.svg" && test -s "$out/trace.jsonl" && test -s "$out/thesis/index.html" && test -s "$out/kmeans.jsonl"
echo "every benchmark ran"

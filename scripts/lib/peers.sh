# Measures plan-machine side by side with its peers, for `scripts/bench peers`.
#
# Each measurement is a line of `$work/measured`: table, row, column and value. `benches/peers/benchmarks.md` is the
# template of the page; the program `render` fills in the measurements.

record() { printf '%s\t%s\t%s\t%s\n' "$@" | tee -a "$work/measured"; }

# Records the version of a package in a lock file.
record_version() {
  local version
  version=$(awk -v name="\"$2\"" '$1 == "name" { found = $3 == name } found && $1 == "version" { print $3; exit }' \
    "$3" | tr -d '"')
  record "$1" "$2" version "${version:?$3 has no package $2}"
}

peer_computer() {
  local model
  model=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)
  record computer processor value "${model:-unknown processor}"
  record computer cores value "$(nproc)"
  record computer date value "$(date -u +%F)"
  record computer rustc value "$(rustc --version | cut -d' ' -f2)"
}

# Counts the instructions of each implementation, and the bytes of its machines.
peer_steps() {
  local peers side name machine script how count
  peers=$(built_peers plan-machine-peers)
  for side in $("$peers" sides); do
    name="$side"
    if [ "$side" = by-hand ]; then name="nested match"; else record_version stepped "$side" benches/peers/Cargo.lock; fi
    while read -r machine script how; do
      count=$(counted "$peers" "$machine" "$side" "$script" $how)
      record "$machine" "$name" "$script${how:+, not inlined}" "$count"
    done <<<"$peer_scripts"
    "$peers" sizes | awk -v OFS='\t' -v side="$side" -v name="$name" \
      '$1 == side { print "sizes", name, "without data", $2; print "sizes", name, "with data", $3 }' | tee -a "$work/measured"
  done
}

peer_scripts="\
bare moves
bare moves called
bare mixed
bare mixed called
tank numbers
tank numbers called
tank guarded
tank guarded called
tank texts
tank texts called"

counted() {
  if command -v valgrind >/dev/null; then instructions "$@" </dev/null; else echo "not measured: valgrind is missing"; fi
}

peer_builds() {
  local name time package
  build_users >"$work/builds"
  while IFS=$'\t' read -r name time; do record builds "$name" "processor seconds" "$time"; done <"$work/builds"
  record_version built plan-machine benches/users/plan-machine/Cargo.lock
  for package in statig serde serde_json; do record_version built "$package" benches/users/statig/Cargo.lock; done
  for package in statum smlang; do record_version built "$package" "benches/users/$package/Cargo.lock"; done
}

# In the tables that the benchmarks print, a label is 32 characters wide.
labelled='function row() { label = substr($0, 1, 32); sub(/ +$/, "", label); split(substr($0, 33), value, " "); return label }'

peer_gate() {
  "$(built gate)" | tee "$work/gate"
  awk -v OFS='\t' "$labelled"' NR > 1 { print "gate", row(), "time", $NF }' "$work/gate" | tee -a "$work/measured"
}

peer_stores() {
  local bench server
  for bench in sqlite postgres memory; do "$(built "$bench")" | tee "$work/$bench"; done
  awk -v OFS='\t' "$labelled"'
    FILENAME ~ /sqlite$/ && /^[0-9]+ sessions?[ ,]/ {
      print "sqlite", row(), "sessions", value[1]
      print "sqlite", row(), "one insert per transaction", value[2]; print "sqlite", row(), "ratio", value[3]
      print "sqlite", row(), "inserts with an index", value[4]; print "sqlite", row(), "ratio#2", value[5]
    }
    FILENAME ~ /postgres$/ && FNR > 1 {
      row(); connections = $1 == 1 ? "1 connection" : $1 " connections"
      print "postgres", connections, "sessions", value[1]
      print "postgres", connections, "the same statement", value[2]; print "postgres", connections, "ratio", value[3]
      print "postgres", connections, "the smallest statement", value[4]; print "postgres", connections, "ratio#2", value[5]
    }
    / open sessions: / { print "memory", "bytes of an open session", "value", $4 }
    / idle sessions / { print "memory", "idle sessions in memory, of " $3, "value", $1 }
  ' "$work/sqlite" "$work/postgres" "$work/memory" | tee -a "$work/measured"
  record_version stored rusqlite Cargo.lock
  record_version stored tokio-postgres Cargo.lock
  server=$({ command -v postgres || ls /usr/lib/postgresql/*/bin/postgres; } | tail -1)
  record stored PostgreSQL version "$("$server" --version | awk '{ print $3 }')"
}

peer_due() {
  "$(built due)" | tee "$work/due"
  awk -v OFS='\t' "$labelled"' NR > 1 {
    print "due", row(), "of 1,000 sessions", value[1]; print "due", row(), "of 100,000 sessions", value[2]
    print "due", row(), "ratio", value[3]
  }' "$work/due" | tee -a "$work/measured"
}

# Measures LangGraph in a separate virtual environment, with a file on the disk that the other stores use.
peer_langgraph() {
  local python="$work/venv/bin/python" file="${CARGO_TARGET_DIR:-target}/tmp/langgraph.db" why="" rates session
  mkdir -p "${file%/*}"
  rm -f "$file"*
  if ! command -v python3 >/dev/null; then
    why="Python is not installed"
  elif ! python3 -m venv "$work/venv" >"$work/log" 2>&1; then
    why="Python cannot create a virtual environment"
  elif ! "$python" -m pip install -q langgraph langgraph-checkpoint-sqlite >"$work/log" 2>&1; then
    why="pip cannot install langgraph"
  elif ! "$python" benches/peers/langgraph_events.py "$file" >"$work/langgraph" 2>"$work/log"; then
    why="benches/peers/langgraph_events.py failed"
  fi
  rm -f "$file"*
  if [ -n "$why" ]; then
    echo "LangGraph is not measured: $why" >&2
    cat "$work/log" >&2
    record checkpointed langgraph version "not measured"
    rates="not measured: $why|not measured"
  else
    "$python" -m pip list --format freeze | awk -F== -v OFS='\t' \
      '/^langgraph(-checkpoint-sqlite)?=/ { print "checkpointed", $1, "version", $2 }' | tee -a "$work/measured"
    record checkpointed Python version "$("$python" --version | cut -d' ' -f2)"
    rates=$(tr ' ' '|' <"$work/langgraph")
  fi
  session=$(awk -F'\t' '$1 == "sqlite" && $2 == "1 session" && $3 == "sessions" { print $4 }' "$work/measured")
  record langgraph "plan-machine, 1 session in SQLite" "events per second" "${session:-not measured}"
  record langgraph "LangGraph, 1 thread in SQLite" "events per second" "${rates%|*}"
  record langgraph "bare inserts from Python" "events per second" "${rates#*|}"
}

peer_check() {
  check_times "$(built check)" optimized
  check_times "$(built check --profile dev)" "not optimized"
}

# Records the times that the bench of `check` prints. The second argument says how the bench was built.
check_times() {
  "$1" | tee "$work/check"
  awk -v OFS='\t' -v column="$2" '
    /^ *[0-9]+ +[0-9]+ +[0-9]+ / { print "checks", $1 " states, " $2 " transitions", column, $4 }
    /^ *[0-9]+ +[0-9]+ +[0-9.]+[^0-9. ]/ { print "joint_checks", $1 ($1 == 1 ? " machine, " : " machines, ") $2 ($2 == 1 ? " invariant" : " invariants"), column, $3 }
  ' "$work/check" | tee -a "$work/measured"
}

peer_classify() {
  "$(built classify)" | tee "$work/classify"
  awk -v OFS='\t' 'NR > 1 { label = substr($0, 1, 60); sub(/ +$/, "", label); split(substr($0, 61), value, " "); print "classes", "`" label "`", "time", value[1] }' \
    "$work/classify" | sed 's/|/\\|/g' | tee -a "$work/measured"
}

peer_hook() {
  bench_hook | tee "$work/hook"
  awk -v OFS='\t' '/ [0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+$/ {
    label = substr($0, 1, 42); sub(/ +$/, "", label); split(substr($0, 43), value, " ")
    print "hooks", label, "median", value[1]; print "hooks", label, "99 %", value[2]; print "hooks", label, "processor: median", value[3]
  }' "$work/hook" | tee -a "$work/measured"
}

peer_inbox() {
  local times
  times=$(inbox_times)
  record inbox "a list" "median" "${times% *} ms"
  record inbox "a list" "slowest of 100" "${times#* } ms"
}

# Makes SPIN and the C compiler that it needs available.
spin_installed() {
  source scripts/lib/tools.sh
  command -v spin >/dev/null && command -v gcc >/dev/null || install spin gcc libc6-dev >&2
}

peer_verify() {
  spin_installed
  "$(built_peers verify --no-default-features --features verify)" | tee -a "$work/measured"
  record_version verified stateright benches/peers/Cargo.lock
  record verified SPIN version "$(spin -V | awk '{ print $3 }')"
  record verified gcc version "$(gcc -dumpfullversion)"
}

# The parts of the page, and the tables that each part measures.
peer_parts="\
steps stepped bare tank sizes
builds builds built
gate gate
stores sqlite postgres memory stored
due due
check checks joint_checks
classify classes
hook hooks
inbox inbox
langgraph langgraph checkpointed
verify counted_holds counted_broken counted_far counted_rates ranged_holds ranged_broken ranged_far ranged_rates verified"

# Measures all parts and writes the page. If parts are given as arguments, measures only those and prints the page.
bench_peers() {
  local part tables table
  for part in "$@"; do
    grep -q "^$part " <<<"$peer_parts" || { echo "unknown part \`$part\`, expected steps, builds, gate, stores, due, check, classify, hook, inbox, langgraph or verify" >&2; exit 2; }
  done
  section "side by side with peers"
  : >"$work/measured"
  peer_computer
  while read -r part tables <&3; do
    if [ $# = 0 ] || [[ " $* " = *" $part "* ]]; then
      "peer_$part"
    else
      for table in $tables; do record "$table" "" "" "not measured in this run"; done
    fi
  done 3<<<"$peer_parts"
  "$(built_peers render)" benches/peers/benchmarks.md <"$work/measured" >"$work/page"
  # A page with gaps does not replace a complete page.
  if [ $# -gt 0 ]; then
    cat "$work/page"
  else
    cp "$work/page" docs/benchmarks.md
    echo "wrote docs/benchmarks.md"
  fi
}

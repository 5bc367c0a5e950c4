# The functions with which `scripts/bench` measures. `scripts/bench` sets the variable `work` to a temporary folder.

section() { printf '\n== %s\n' "$1"; }
ratio() { awk "BEGIN { printf \"%.2f\", $1 / $2 }"; }
is_above() { awk "BEGIN { exit !($1 > $2) }"; }

# Builds the program of a benchmark and prints its path, which is the last path that cargo prints.
built() {
  cargo bench --locked -p plan-machine-benches --bench "$1" --no-run "${@:2}" 2>&1 |
    sed -n 's/.*Executable.*(\(.*\))$/\1/p' | tail -1
}

# Builds a program of `benches/peers` and prints its path. The other arguments are options for cargo.
built_peers() {
  local folder="${CARGO_TARGET_DIR:-target}/peers"
  # Without `return`, a failed build would go unnoticed and an old program would be measured.
  cargo build -q --locked --release --manifest-path benches/peers/Cargo.toml --target-dir "$folder" --bin "$@" >&2 ||
    return
  echo "$folder/release/$1"
}

# Prints the instructions per event that a program spends in functions named `counted`. The program itself prints the
# number of events.
instructions() {
  valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect='*counted*' "$@" >"$work/counted" 2>&1 ||
    { cat "$work/counted" >&2; return 1; }
  awk '/^[0-9]+$/ { events = $1 } /Collected/ { all = $NF } END { printf "%.1f", all / events }' "$work/counted"
}

# Prints the processor seconds of a command and of everything that it starts.
seconds() {
  local TIMEFORMAT='%U %S'
  { time "$@" >"$work/log" 2>&1; } 2>"$work/time" || { cat "$work/log" >&2; return 1; }
  awk '{ printf "%.1f", $1 + $2 }' "$work/time"
}

# The crates of users: the name in the table, the folder, and options for cargo.
users="\
plan-machine, macro|benches/users/plan-machine
plan-machine, generated file|$work/generated
statig|benches/users/statig --no-default-features
statig, serde, serde_json|benches/users/statig
statum|benches/users/statum
smlang|benches/users/smlang"

# Writes the crate whose machine is a generated file.
generate_user() {
  rm -rf "$work/generated"
  cp -r benches/users/generated "$work/generated"
  cp tests/corpus/valid/work_by_plan.yaml "$work/generated"
  sed -i "s|\.\./\.\./\.\./plan-machine|$PWD/plan-machine|" "$work/generated/Cargo.toml"
  cargo run -q --locked -p plan-machine-cli -- generate "$work/generated/work_by_plan.yaml" >&2
}

# Builds each user's crate twice and prints a line for each crate: its name and the processor seconds, separated by a
# tab. The crates are built in turn, and the smaller time of each counts, because other work on the computer also affects
# processor time.
build_users() {
  local round name folder options time
  generate_user
  while IFS='|' read -r name folder; do
    cargo fetch -q --manifest-path "${folder%% *}/Cargo.toml" >&2
  done <<<"$users"
  for round in 1 2; do
    while IFS='|' read -r name folder; do
      read -r folder options <<<"$folder"
      rm -rf "$work/built"
      # shellcheck disable=SC2086 # options are words
      time=$(seconds cargo build --offline $options \
        --manifest-path "$folder/Cargo.toml" --target-dir "$work/built" </dev/null)
      printf '%s\t%s\n' "$name" "$time"
    done <<<"$users"
  done | awk -F'\t' '
    !($1 in best) { names[++count] = $1; best[$1] = $2 }
    $2 < best[$1] { best[$1] = $2 }
    END { for (i = 1; i <= count; i++) printf "%s\t%.1f\n", names[i], best[names[i]] }'
}

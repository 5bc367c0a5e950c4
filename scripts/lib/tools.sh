# Installs the tools that tests against other programs need. If a tool cannot be installed, the script ends with an error.

tools="${CARGO_TARGET_DIR:-$PWD/target}/tools"

step() { printf '\n== %s\n' "$1"; }

# Installs packages of the system.
install() {
  local as_root=""
  step "installing $*"
  [ "$(id -u)" = 0 ] || as_root="sudo"
  $as_root apt-get update -q
  $as_root apt-get install -q -y --no-install-recommends "$@"
}

# Prints the path of a Python interpreter that has these packages: python_with NAME PACKAGE…
python_with() {
  local folder="$tools/$1"
  shift
  if ! [ -e "$folder/complete" ]; then
    rm -rf "$folder"
    python3 -m venv "$folder" >&2
    "$folder/bin/pip" install --quiet "$@" >&2
    touch "$folder/complete"
  fi
  printf '%s/bin/python' "$folder"
}

# Makes Chromium available, with Playwright to control it and axe-core to check pages. Sets `python` and AXE.
page_tools() {
  python3 -c 'import ensurepip, venv' 2>/dev/null || install python3 python3-venv
  command -v chromium >/dev/null || command -v google-chrome >/dev/null || install chromium
  python=$(python_with playwright-1.65.2 playwright==1.65.2)
  export AXE="$tools/axe/node_modules/axe-core/axe.min.js"
  if ! [ -e "$AXE" ]; then
    command -v npm >/dev/null || install npm
    npm install --silent --no-save --prefix "$tools/axe" axe-core@4.14.0 >/dev/null
  fi
}

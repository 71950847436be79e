#!/bin/sh
# Installs hilctl on a rig's PC, and removes it again: `install.sh help`. What it creates is listed in /etc/hilctl/.installed.
set -eu
umask 022

HERE=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
HOUSE=$(dirname -- "$HERE")
ETC=/etc/hilctl
NEED_KB=1000000 # the program with its dependencies, and room to unpack them
LEAST=3.11

ROOT='' PREFIX=/opt/hilctl PYTHON=python3 WHEEL='' RIG='' EXTRAS='' WHEELS='' SITE='' VERSION=''
DRY='' PURGE='' DATA='' MAKING='' ASIDE=''

usage() {
  cat <<'TEXT'
install.sh install [options]   install, or upgrade: a second version stands beside the first
install.sh use VERSION         switch to another installed version, forward or back
install.sh versions            list what is installed; * marks the one in use
install.sh remove [VERSION]    remove one version that is not in use; without VERSION the program, but no rig file,
                               recording or user
install.sh remove --purge      remove everything that install created

  --wheel FILE          the program; not given: dist/hilctl-*.whl, or built from this checkout
  --rig NAME|FILE       a preset or a rig file for /etc/hilctl; one that stands there is never overwritten
  --extras LIST         panel, report, export: installed as well
  --wheels DIR          take all packages from this folder: no network is used
  --site-packages DIR   use the packages installed in DIR, and install none
  --python PYTHON       the interpreter (python3)
  --prefix DIR          where the versions stand (/opt/hilctl)
  --root DIR            install into this folder instead of /: an image, a chroot
  --with-data           remove --purge also deletes recordings, and rig files that were changed
  --dry-run             check, and say what would be done
TEXT
}

say() { printf '%s\n' "$*"; }
die() {
  printf 'install.sh: %s\n' "$*" >&2
  exit 1
}
wrong() {
  printf 'install.sh: %s; "install.sh help" lists the options\n' "$*" >&2
  exit 2
}
# Says what is done, and does it.
act() {
  if [ "$DRY" ]; then say "would run: $*"; else
    say "$*"
    "$@"
  fi
}

# --- what was created

listed() { if [ -f "$ROOT$ETC/.installed" ]; then cat "$ROOT$ETC/.installed"; fi; }
note() { # KIND PATH [MORE]: replaces the line of this path
  [ -z "$DRY" ] || return 0
  { listed | awk -v k="$1" -v p="$2" '!($1 == k && $2 == p)'; say "$@"; } >"$ROOT$ETC/.installed.new"
  mv "$ROOT$ETC/.installed.new" "$ROOT$ETC/.installed"
}
noted() { listed | awk -v k="$1" -v p="$2" '$1 == k && $2 == p {print $3; found = 1} END {exit !found}'; }
sum() { sha256sum <"$1" | cut -d ' ' -f 1; }

folder() { # PATH: it and its parents
  [ ! -d "$ROOT$1" ] || return 0
  case "$made " in *" $1 "*) return 0 ;; esac # a dry run
  case $1 in /*/*) folder "${1%/*}" ;; esac
  act mkdir "$ROOT$1"
  made=" $1$made" # the deepest first
}
# A file of ours replaces the one that we put there; one that somebody else put there, or changed, stays.
file() { # FROM TO
  if [ -e "$ROOT$2" ]; then
    if cmp -s "$1" "$ROOT$2"; then return 0; fi
    was=$(noted file "$2") || was=''
    if [ "$was" != "$(sum "$ROOT$2")" ]; then
      say "kept: $ROOT$2 differs from what was installed; the new one is $1"
      return 0
    fi
  fi
  folder "${2%/*}"
  say "${DRY:+would }create $ROOT$2"
  if [ "$DRY" ]; then return 0; fi
  install -m 0644 "$1" "$ROOT$2"
  note file "$2" "$(sum "$1")"
}
link() { # TARGET PATH
  if [ -L "$ROOT$2" ] && [ "$(readlink "$ROOT$2")" = "$1" ]; then return 0; fi
  if [ -e "$ROOT$2" ] && ! noted link "$2" >/dev/null; then
    say "kept: $ROOT$2 is not ours"
    return 0
  fi
  folder "${2%/*}"
  act ln -sfn "$1" "$ROOT$2"
  note link "$2" "$1"
}

# --- what must hold before anything is changed

need_root() {
  [ "$ROOT" ] || [ "$(id -u)" = 0 ] || die "the user $(id -un) may not install into /; run it as root (sudo), or give --root DIR"
}
need_python() {
  command -v "$PYTHON" >/dev/null || die "--python $PYTHON: no such program; apt install python3 python3-venv"
  told=$("$PYTHON" -c 'import sys; print("%d.%d" % sys.version_info[:2], sys.version_info >= (3, 11))') ||
    die "--python $PYTHON does not run"
  [ "${told#* }" = True ] ||
    die "--python $PYTHON is Python ${told% *}, $LEAST or newer is required; name another, for example --python python3.12"
  "$PYTHON" -c 'import venv, ensurepip' 2>/dev/null ||
    die "--python $PYTHON has no module venv; apt install python${told% *}-venv"
}
need_idle() {
  for told in "$ROOT"/run/hilctl/*/endpoints.json "$ROOT"/run/user/*/hilctl/*/endpoints.json "$ROOT"/tmp/hilctl-*/*/endpoints.json; do
    [ -f "$told" ] || continue
    pid=$(sed -n 's/.*"pid": *\([0-9]\{1,\}\).*/\1/p' "$told")
    rig=$(basename "$(dirname "$told")")
    if [ "$pid" ] && [ -d "/proc/$pid" ]; then
      die "the rig $rig is running (process $pid); stop it first: systemctl stop hilctl@$rig, or \`hilctl shutdown\`"
    fi
  done
  if live; then
    told=$(systemctl list-units --plain --no-legend --state=active,activating,deactivating 'hilctl@*' | awk '{print $1}')
    [ -z "$told" ] || die "$(echo "$told" | tr '\n' ' ')is running; stop it first: systemctl stop $(echo "$told" | tr '\n' ' ')"
  fi
}
live() { [ -z "$ROOT" ] && [ -d /run/systemd/system ]; }
need_room() {
  at=$ROOT$PREFIX
  while [ ! -d "$at" ]; do at=$(dirname "$at"); done
  [ -w "$at" ] || die "$at cannot be written: it is read-only, or belongs to another user; give --prefix DIR"
  need=$NEED_KB
  [ -z "$SITE" ] || need=20000
  left=$(df -Pk "$at" | awk 'NR == 2 {print $4}')
  [ "$left" -ge "$need" ] || die "$at has $((left / 1024)) MB left, $((need / 1024)) MB are needed; make room, or give --prefix DIR"
}

# --- the program

find_wheel() {
  if [ -z "$WHEEL" ]; then
    set -- "$HOUSE"/dist/hilctl-*.whl
    [ $# -eq 1 ] || die "dist holds $# wheels; name one by --wheel"
    if [ -f "$1" ]; then
      WHEEL=$1
    elif [ "$DRY" ]; then
      VERSION=$(sed -n 's/^__version__ = "\(.*\)"/\1/p' "$HOUSE/hilctl/__init__.py")
      say "would build the wheel of this checkout, version $VERSION"
      return 0
    else
      BUILT=$(mktemp -d)
      say "building the wheel of this checkout"
      "$PYTHON" -m venv "$BUILT/venv"
      "$BUILT/venv/bin/python" -m pip --disable-pip-version-check wheel --quiet --no-deps --wheel-dir "$BUILT" "$HOUSE" ||
        die "the wheel could not be built; see the lines above, or give --wheel FILE"
      WHEEL=$(echo "$BUILT"/hilctl-*.whl)
    fi
  fi
  [ -f "$WHEEL" ] || die "--wheel $WHEEL: no such file"
  VERSION=$(basename "$WHEEL" | sed -n 's/^hilctl-\([^-]*\)-py3-none-any\.whl$/\1/p')
  [ "$VERSION" ] || die "--wheel $WHEEL is no wheel of hilctl (hilctl-VERSION-py3-none-any.whl)"
}
program() {
  venv=$ROOT$PREFIX/$VERSION
  if [ "$WHEEL" ] && [ "$(cat "$venv/.wheel" 2>/dev/null)" = "$(sum "$WHEEL") $EXTRAS" ]; then
    say "hilctl $VERSION is installed in $venv"
    return 0
  fi
  folder "$PREFIX"
  if [ "$DRY" ]; then
    say "would install hilctl $VERSION with its dependencies into $venv"
    return 0
  fi
  say "installing hilctl $VERSION with its dependencies into $venv"
  if [ -e "$venv" ]; then
    ASIDE=$venv.aside
    mv "$venv" "$ASIDE"
  fi
  MAKING=$venv
  if [ -d "$SITE/pip" ]; then set -- --without-pip; else set --; fi
  "$PYTHON" -m venv "$@" "$venv" || die "no virtual environment could be made in $venv; see the lines above"
  pip="$venv/bin/python -m pip --disable-pip-version-check install --quiet"
  if [ "$SITE" ]; then
    say "$SITE" >"$(echo "$venv"/lib/python*/site-packages)/dependencies.pth"
    $pip --no-deps --no-index --ignore-installed "$WHEEL" || die "pip failed; see the lines above"
  else
    set --
    if [ -f "$HOUSE/requirements.lock" ]; then set -- --constraint "$HOUSE/requirements.lock"; fi
    if [ "$WHEELS" ]; then set -- "$@" --no-index --find-links "$WHEELS"; fi
    $pip "$@" "$WHEEL${EXTRAS:+[$EXTRAS]}" || die "pip failed; see the lines above. Without a network: --wheels DIR (deploy/README.md)"
  fi
  if [ "$ROOT" ]; then # the scripts name the interpreter where it will be
    grep -rlF "$ROOT$PREFIX" "$venv/bin" "$venv/pyvenv.cfg" --exclude='python*' | while read -r script; do
      sed -i "s|$ROOT$PREFIX|$PREFIX|g" "$script"
    done
  fi
  say "$(sum "$WHEEL") $EXTRAS" >"$venv/.wheel"
  # The rig file is checked by the program that will read it, before anything else changes.
  rig_files >/dev/null
  MAKING=''
  if [ "$ASIDE" ]; then rm -rf "$ASIDE"; fi
  ASIDE=''
}
rig_files() { # the rig file, and those that it names
  [ "$RIG" ] || return 0
  "$ROOT$PREFIX/$VERSION/bin/python" - "$RIG" <<'CODE' || die "--rig $RIG is refused: see above"
import sys
from hilctl.errors import HilctlError
from hilctl.rig import load
try:
    files = load(sys.argv[1], twin=True).files
except (HilctlError, OSError) as error:
    sys.exit(getattr(error, "text", str(error)))
print(*dict.fromkeys(file.path.resolve() for file in files), sep="\n")
CODE
}
undo() {
  code=$?
  if [ "$MAKING" ]; then
    rm -rf "$MAKING"
    if [ "$ASIDE" ]; then mv "$ASIDE" "$MAKING"; fi
    for one in $made; do rmdir "$ROOT$one" 2>/dev/null || true; done
    say "install.sh: nothing was changed" >&2
  fi
  if [ "${BUILT:-}" ]; then rm -rf "$BUILT"; fi
  exit "$code"
}

# --- the system

people() {
  if [ "$ROOT" ]; then
    if [ ! -f "$ROOT/etc/passwd" ] || [ "$(id -u)" != 0 ]; then
      say "no user is created in $ROOT: create user and group hilctl there before the first start"
      return 0
    fi
    set -- --prefix "$ROOT"
  fi
  if ! grep -q '^hilctl:' "$ROOT/etc/group"; then
    act groupadd "$@" --system hilctl
    note group hilctl
  fi
  if ! grep -q '^hilctl:' "$ROOT/etc/passwd"; then
    act useradd "$@" --system --gid hilctl --home-dir /nonexistent --no-create-home --shell /usr/sbin/nologin hilctl
    note user hilctl
  fi
}
units() {
  for unit in "$HERE"/systemd/*.service; do
    own=$(mktemp)
    sed "s|/opt/hilctl/|$PREFIX/|g" "$unit" >"$own"
    file "$own" "/etc/systemd/system/${unit##*/}"
    rm -f "$own"
  done
}
reload() {
  if live; then act systemctl daemon-reload; fi
  if [ -z "$ROOT" ] && [ -e /run/udev/control ]; then
    act udevadm control --reload
    act udevadm trigger --name-match=cpu_dma_latency
  fi
}
use() {
  [ -x "$ROOT$PREFIX/$VERSION/bin/hilctl" ] || [ "$DRY" ] ||
    die "$VERSION is not installed; installed: $(versions | tr -d '* ' | tr '\n' ' ')"
  link "$VERSION" "$PREFIX/current"
}
versions() {
  now=$(readlink "$ROOT$PREFIX/current" || true)
  for one in "$ROOT$PREFIX"/*/.wheel; do
    one=${one%/.wheel}
    if [ ! -f "$one/.wheel" ] || [ -L "$one" ]; then continue; fi
    one=${one##*/}
    if [ "$one" = "$now" ]; then say "* $one"; else say "  $one"; fi
  done
}

install_all() {
  need_root
  need_python
  need_idle
  need_room
  if [ -z "$ROOT" ]; then command -v useradd >/dev/null || die "useradd is missing; apt install passwd"; fi
  made=''
  trap undo EXIT
  trap 'exit 130' INT TERM
  find_wheel
  program
  folder "$ETC"
  [ "$DRY" ] || for one in $made; do note folder "$one"; done
  made=''
  people
  units
  file "$HERE/udev/60-hilctl.rules" /etc/udev/rules.d/60-hilctl.rules
  file "$HERE/limits/hilctl.conf" /etc/security/limits.d/hilctl.conf
  if [ "$RIG" ]; then
    if [ "$DRY" ]; then say "would copy the rig file $RIG to $ETC"; else
      rig_files | while read -r one; do file "$one" "$ETC/$(basename "$one")"; done
    fi
  fi
  use
  link "$PREFIX/current/bin/hilctl" /usr/local/bin/hilctl
  [ "$DRY" ] || for one in $made; do note folder "$one"; done
  reload
  say "done: hilctl $VERSION. Next: hilctl doctor; systemctl start hilctl@RIG for a rig file $ETC/RIG.toml"
}

remove_version() {
  [ "$(readlink "$ROOT$PREFIX/current" || true)" != "$VERSION" ] || die "$VERSION is in use; \`install.sh use OTHER\` first"
  [ -f "$ROOT$PREFIX/$VERSION/.wheel" ] || die "$VERSION is not installed; installed: $(versions | tr -d '* ' | tr '\n' ' ')"
  act rm -rf "$ROOT$PREFIX/$VERSION"
}
refuse_data() {
  left=$(find "$ROOT/var/lib/hilctl" -type f 2>/dev/null | wc -l)
  changed=''
  for one in "$ROOT$ETC"/*; do
    [ -f "$one" ] || continue
    [ "$(noted file "${one#"$ROOT"}" || true)" = "$(sum "$one")" ] || changed="$changed $one"
  done
  if [ "$left" = 0 ] && [ -z "$changed" ]; then return 0; fi
  die "--purge would delete $left files in $ROOT/var/lib/hilctl${changed:+, and what was changed or added:$changed}; save them, then add --with-data"
}
remove_all() {
  need_root
  need_idle
  [ -f "$ROOT$ETC/.installed" ] || die "nothing is installed: there is no $ROOT$ETC/.installed"
  if [ -n "$VERSION" ]; then
    remove_version
    return 0
  fi
  if [ "$PURGE" ] && [ -z "$DATA" ]; then refuse_data; fi
  for one in "$ROOT"/etc/systemd/system/*.wants/hilctl@*.service "$ROOT"/etc/systemd/system/*.wants/hilctl-panel@*.service; do
    [ ! -L "$one" ] || act rm "$one"
  done
  for one in "$ROOT$PREFIX"/*/.wheel; do
    [ ! -f "$one" ] || act rm -rf "$(dirname "$one")"
  done
  listed | while read -r kind path was; do
    case $kind in
    link) [ ! -L "$ROOT$path" ] || act rm "$ROOT$path" ;;
    file)
      case $path in "$ETC"/*) continue ;; esac
      if [ ! -f "$ROOT$path" ]; then continue; fi
      if [ "$(sum "$ROOT$path")" = "$was" ] || [ "$PURGE" ]; then act rm "$ROOT$path"; else say "kept: $ROOT$path was changed"; fi
      ;;
    esac
  done
  if [ "$PURGE" ]; then purge; else forget; fi
  reload
  say "removed"
}
forget() { # keeps in the list what still stands
  [ -z "$DRY" ] || return 0
  empty_folders "$ETC"
  { listed | while read -r kind path was; do
    case $kind in
    user | group) say "$kind $path" ;;
    *) if [ -e "$ROOT$path" ] || [ -L "$ROOT$path" ]; then say "$kind $path $was"; fi ;;
    esac
  done; } >"$ROOT$ETC/.installed.new"
  mv "$ROOT$ETC/.installed.new" "$ROOT$ETC/.installed"
}
purge() {
  for one in /var/lib/hilctl /var/cache/hilctl /run/hilctl; do
    [ ! -e "$ROOT$one" ] || act rm -rf "$ROOT$one"
  done
  if [ "$ROOT" ]; then set -- --prefix "$ROOT"; else set --; fi
  if noted user hilctl >/dev/null; then act userdel "$@" hilctl; fi
  # userdel removes the group as well where nobody else is in it.
  if noted group hilctl >/dev/null && grep -q '^hilctl:' "$ROOT/etc/group"; then act groupdel "$@" hilctl; fi
  list=$(listed)
  act rm -rf "$ROOT$ETC"
  [ "$DRY" ] || printf '%s\n' "$list" | empty_folders ''
}
empty_folders() { # KEPT: the folders that install created, the deepest first
  if [ "$1" ]; then listed; else cat; fi | awk '$1 == "folder" {print length($2), $2}' | sort -rn | while read -r _ path; do
    if [ -d "$ROOT$path" ] && [ "$path" != "$1" ]; then rmdir "$ROOT$path" 2>/dev/null || true; fi
  done
}

# --- the command line

[ $# -gt 0 ] || wrong "what shall be done"
VERB=$1
shift
while [ $# -gt 0 ]; do
  case $1 in
  --wheel | --rig | --prefix | --root | --python | --extras | --wheels | --site-packages)
    [ -n "${2:-}" ] || wrong "$1 needs a value"
    case $1 in
    --wheel) WHEEL=$2 ;;
    --rig) RIG=$2 ;;
    --prefix) PREFIX=${2%/} ;;
    --root) ROOT=${2%/} ;;
    --python) PYTHON=$2 ;;
    --extras) EXTRAS=$2 ;;
    --wheels) WHEELS=$2 ;;
    --site-packages) SITE=$2 ;;
    esac
    shift
    ;;
  --purge) PURGE=1 ;;
  --with-data) DATA=1 ;;
  --dry-run) DRY=1 ;;
  -*) wrong "$1 is no option" ;;
  *)
    [ "$VERB" = use ] || [ "$VERB" = remove ] || wrong "$1 is no option"
    VERSION=$1
    ;;
  esac
  shift
done
case $PREFIX in /*) ;; *) wrong "--prefix $PREFIX must begin with /" ;; esac
case "$PREFIX$ROOT" in *[!A-Za-z0-9._/+-]*) wrong "--prefix and --root may hold letters, digits and . _ / + - only" ;; esac
[ -z "$ROOT" ] || ROOT=$(CDPATH='' cd -- "$ROOT" 2>/dev/null && pwd) || die "--root: no such folder"
for one in "$WHEELS" "$SITE"; do [ -z "$one" ] || [ -d "$one" ] || die "$one: no such folder"; done

case $VERB in
install) install_all ;;
remove) remove_all ;;
use)
  [ "$VERSION" ] || wrong "use needs a version"
  need_root
  need_idle
  made=''
  use
  say "in use: hilctl $VERSION"
  ;;
versions) versions ;;
help | --help | -h) usage ;;
*) wrong "$VERB is no verb" ;;
esac

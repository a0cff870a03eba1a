#!/bin/sh
# What do the iptables tools of one version print? Writes it to fixtures/kernel; needs root, leaves no trace on the host.
#   scripts/record-kernel.sh [ROOT]    the host's own tools, or those of a version unpacked into the folder ROOT
# With ROOT each of the two also reads what the other one wrote. Record the host first.
set -eu
if [ "${1-}" != --inside ]; then exec unshare -nm "$0" --inside "${1:-/}"; fi
root=$2
cd "$(dirname "$0")/../fixtures/kernel"
mount -t tmpfs tmpfs /run
if [ "$root" != / ]; then
  mount -t tmpfs tmpfs "$root/run" && mount --bind /proc "$root/proc" && mount --bind /dev "$root/dev"
fi
(cd ../.. && node --import=tsx test/support/make-counters.ts ct_state_invalid_dropped_pkts localhost_nps_accepted_pkts)
awk '/^## /{file = sprintf("/run/fault%02d", ++n); print > file; next} {print > file}' faults.txt

version() { chroot "$1" iptables-nft -V | sed 's/.* v\([0-9.]*\).*/\1/'; }
empty() { printf '*%s\nCOMMIT\n' filter mangle nat | chroot "$root" "$1-restore"; }
save() { chroot "$1" "$2-save" 2>/run/words | sed 's/ on [A-Z][a-z][a-z] .*//'; }
# save_other TOOLROOT COMMAND FILE: kept only where it is not what the same tool shows of its own rules.
save_other() {
  save "$1" "$2" >"$3" && cmp -s "$3" "${3%/*}/save.${3##*.}" && rm "$3" || true
}
restored() { # the rules of some golden files in one text, composed only once, for all versions
  [ -f "restored.$1" ] || for case in n01 s04 s05 s08 s10 s11 s13 s18 s28 s30 u03 u06 u08 u09; do
    cat ../clusters/$case-*/iptables."$1".rules
  done | awk '/^\*/ {table = $0} /^[:-]/ && !seen[table $0]++ {text[table] = text[table] $0 "\n"}
    END {split("*filter *mangle *nat", names); for (i = 1; i <= 3; i++) print names[i] "\n" text[names[i]] "COMMIT"}' >"restored.$1"
}
# fault TITLE FILE COMMAND OPTIONS…: how the tool ends, what it says, and what it left in the kernel.
fault() {
  title=$1 input=$2 command=$3 status=0
  shift 3
  empty "$command"
  printf '*nat\n:BUSY - [0:0]\n:USER - [0:0]\n-A USER -j BUSY\nCOMMIT\n' | chroot "$root" "$command-restore"
  save "$root" "$command" | grep -E '^(\*|-A|:.* - )' >/run/before
  timeout -s KILL 2 chroot "$root" "$command-restore" "$@" <"$input" 2>/run/stderr || status=$?
  save "$root" "$command" | grep -E '^(\*|-A|:.* - )' >/run/after
  echo "## $title" && echo "options: $*" && echo "status: $status" && sed 's/^/stderr: /' /run/stderr
  diff /run/before /run/after | sed -n 's/^> /came: /p; s/^< /went: /p'
}
record_faults() {
  for file in /run/fault*; do
    sed 1d "$file" >/run/input && fault "$(sed -n '1s/^## //p' "$file")" /run/input "$1" --noflush
  done
  flock "$root/run/xtables.lock" sleep 4 & sleep 0.2
  fault "another program holds the lock" /run/input "$1" --noflush -w 1
  wait
}

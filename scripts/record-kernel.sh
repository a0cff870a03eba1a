#!/bin/sh
# What do the iptables tools of one version print? Writes it to fixtures/kernel; needs root, leaves no trace on the host.
#   scripts/record-kernel.sh [ROOT]    the host's own tools, or those of a version unpacked into the folder ROOT
# With ROOT each of the two also reads what the other one wrote: record the host first.
set -eu
if [ "${1-}" != --inside ]; then exec unshare -nm "$0" --inside "${1:-/}"; fi
root=$2
cd "$(dirname "$0")/../fixtures/kernel"
mount -t tmpfs tmpfs /run
[ "$root" = / ] || for part in run proc dev; do mount --bind "/$part" "$root/$part"; done
(cd ../.. && node --import=tsx test/support/make-counters.ts ct_state_invalid_dropped_pkts localhost_nps_accepted_pkts)
awk '/^## /{file = sprintf("/run/fault%02d", ++n)} {print > file}' faults.txt

version() { chroot "$1" iptables-nft -V | sed 's/.* v\([0-9.]*\).*/\1/'; }
empty() { printf '*%s\nCOMMIT\n' filter mangle nat | chroot "$root" "$1-restore"; }
save() { chroot "$1" "$2-save" 2>/run/words | sed 's/ on [A-Z][a-z][a-z] .*//'; }
rules() { save "$root" "$1" | grep -E '^(\*|-A|:.* - )'; }
# save_other ROOT COMMAND FILE: kept only where it differs from what the same tool shows of its own rules.
save_other() {
  save "$1" "$2" >"$3" && if cmp -s "$3" "${3%/*}/save.${3##*.}"; then rm "$3"; fi
}
compose() { # the rules of some golden files in one text; the same text for all versions, so made only once
  [ -f "restored.$1" ] || for case in n01 s04 s05 s08 s10 s11 s13 s18 s28 s30 u03 u06 u08 u09; do
    cat ../clusters/$case-*/iptables."$1".rules
  done | awk '/^\*/ {table = $0} /^[:-]/ && !seen[table $0]++ {text[table] = text[table] $0 "\n"}
    END {split("*filter *mangle *nat", t, " "); for (i = 1; i <= 3; i++) print t[i] "\n" text[t[i]] "COMMIT"}' >"restored.$1"
}
# fault TITLE COMMAND ARGUMENT…: how a restore ends, what it says, and what has come and gone.
fault() {
  title=$1 status=0
  shift
  empty "$command" && printf '*nat\n:BUSY -\n:USER -\n-A USER -j BUSY\nCOMMIT\n' | chroot "$root" "$command-restore"
  rules "$command" >/run/before
  timeout -s KILL 2 "$@" 2>/run/stderr || status=$?
  printf '## %s\nstatus: %s\n' "$title" "$status" && sed 's/^/stderr: /' /run/stderr
  rules "$command" | diff /run/before - | sed -n 's/^> /came: /p; s/^< /went: /p'
}
record_faults() {
  restore="chroot $root $command-restore --noflush"
  for file in /run/fault*; do sed 1d "$file" | fault "$(sed -n '1s/^## //p' "$file")" $restore; done
  input='*filter\n:DONE -\nCOMMIT\n*nat\n:HALF -\n-A HALF -j RETURN\n'
  printf "${input}COMMIT\n" | fault "the lock is held by another program" flock /run/xtables.lock $restore -w 1
  { printf "$input" && sleep 3; } | fault "killed before the last COMMIT" $restore
}
for variant in nft legacy; do
  own=$(version "$root") host=$(version /)
  folder=$own-$variant && mkdir -p "$folder"
  for family in 4 6; do
    input=restored.v$family command=iptables-$variant && compose v$family
    [ $family = 4 ] || command=ip6tables-$variant
    chroot "$root" "$command-restore" <$input && save "$root" "$command" >"$folder/save.v$family"
    save_other / "$command" "$host-$variant/restored-by-$own.v$family"
    chroot / "$command-restore" <$input && save_other "$root" "$command" "$folder/restored-by-$host.v$family"
    mount --bind /dev/null "$root/etc/protocols"
    empty "$command" && chroot "$root" "$command-restore" <$input
    save_other "$root" "$command" "$folder/without-protocols.v$family"
    umount "$root/etc/protocols" && empty "$command"
  done
  command=iptables-$variant && record_faults >"$folder/failures.txt"
done

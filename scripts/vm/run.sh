#!/bin/sh
# What does a command do on a kernel that has IPVS? Boots one, runs the command as its root and ends with its exit code.
#   scripts/vm/run.sh [--timeout SECONDS] [--out FOLDER] COMMAND [ARGUMENT…]
# The command finds the files, the folder and the environment of the host; no network but lo, no standard input. All that
# it writes goes with the guest, save for what it writes to FOLDER. The limit (120 s) counts from the start of the boot.
# 124 is the end by that limit, 125 a guest that could not be had or did not come to run the command.
set -eu
# Ends with its parent, however that ends, and so does all that it starts.
if [ "${FAIRLEAD_VM_PARENT-}" != "$PPID" ]; then
  FAIRLEAD_VM_PARENT=$PPID exec setpriv --pdeathsig TERM "$0" "$@"
fi
# The second is the number of an open file, which the guest has not.
unset FAIRLEAD_VM_PARENT NODE_CHANNEL_FD
here=$(cd "$(dirname "$0")" && pwd)
vm=$here/../../.vm limit=120 out=
fail() { echo "run.sh: $*" >&2 && exit 125; }
while :; do
  case ${1-} in
    --timeout) limit=$2 ;;
    --out) out=$(cd "$2" && pwd) ;;
    *) break ;;
  esac
  shift 2
done
[ $# -gt 0 ] || fail "no command"
"$here/fetch.sh" || fail "no kernel to boot"

work=$(mktemp -dt fairlead-vm.XXXXXX) running=
end() {
  trap '' INT TERM HUP
  [ -z "$running" ] || kill $running 2>/dev/null || :
  wait
  rm -rf "$work"
}
trap end EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# Shell words of its arguments, each line but the last of a word as it is.
quote() { for word; do printf '%s\n' "$word" | sed "s/'/'\\\\''/g; 1s/^/'/; \$s/\$/' \\\\/"; done; }
mkdir "$work/talk"
cp "$here/guest.sh" "$work/talk/guest"
{
  export -p
  echo 'PATH=$PATH:/usr/sbin:/sbin'
  printf 'cd ' && quote "$PWD" && echo
  printf 'exec ' && quote "$@" && echo
} >"$work/talk/command"
share() { # NAME FOLDER [OPTIONS]: commas in a path are doubled for QEMU
  path=$(printf %s "$2" | sed 's/,/,,/g')
  printf 'local,path=%s,mount_tag=%s,security_model=none,multidevs=remap%s' "$path" "$1" "${3-}"
}
set -- -virtfs "$(share host / ,readonly=on)" -virtfs "$(share layer "$vm/root" ,readonly=on)" \
  -virtfs "$(share talk "$work/talk")"
if [ -n "$out" ]; then
  set -- "$@" -virtfs "$(share out "$out")"
  { printf 'folder=' && quote "$out" && echo; } >"$work/talk/folder"
fi

# One processor: where there are no more of the host's than of the guests', those of a guest wait for one another in its
# spin locks, and two guests at a time take twice as long.
# A /dev/kvm on a processor without these leads nowhere.
accelerator=tcg,thread=multi processor=Nehalem
if [ -w /dev/kvm ] && grep -qwE 'vmx|svm' /proc/cpuinfo; then accelerator=kvm processor=host; fi

mkfifo "$work/stdout" "$work/stderr"
setpriv --pdeathsig KILL cat "$work/stdout" &
running=$!
setpriv --pdeathsig KILL cat "$work/stderr" >&2 &
running="$running $!"
setpriv --pdeathsig TERM timeout -k 2 "$limit" setpriv --pdeathsig KILL \
  qemu-system-x86_64 -nodefaults -no-user-config -display none -no-reboot -machine pc -accel "$accelerator" \
  -cpu "$processor" -smp 1 -m 1536 -kernel "$vm/kernel" -initrd "$vm/initramfs" \
  -append "console=ttyS0 quiet panic=-1 reboot=t nokaslr mitigations=off audit=0" -serial "file:$work/console" \
  -chardev "file,id=stdout,path=$work/stdout" -chardev "file,id=stderr,path=$work/stderr" \
  -device virtio-serial -device virtserialport,nr=1,chardev=stdout -device virtserialport,nr=2,chardev=stderr \
  "$@" </dev/null >"$work/words" 2>&1 &
machine=$! running="$running $!" ended=0
wait "$machine" || ended=$?
# A machine that did not open them would leave their readers waiting.
: <>"$work/stdout" <>"$work/stderr"
wait
running=
[ "$ended" != 124 ] && [ "$ended" != 137 ] || { echo "run.sh: no end within $limit seconds" >&2 && exit 124; }
if [ ! -s "$work/talk/status" ]; then
  tail -n 60 "$work/words" "$work/console" >&2 || :
  fail "the guest did not run the command"
fi
exit "$(cat "$work/talk/status")"

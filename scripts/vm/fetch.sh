#!/bin/sh
# What is the virtual machine of the IPVS tests made of? Debian's kernel and a few programs, unpacked, never installed.
#   scripts/vm/fetch.sh            once about 73 MB from Debian; does nothing and needs no network where all is there
#   scripts/vm/fetch.sh --check    says what is missing, and fetches nothing
# Leaves in .vm: kernel, initramfs, packages (what it was made from), root (laid over the host's files in the guest).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
vm=$here/../../.vm
root=$vm/root
programs="busybox-static ipvsadm libnl-3-200 libnl-genl-3-200 libpopt0"
# All that a module of ours may need, a fourth of what the kernel's package has.
modules="net lib crypto fs arch/x86/crypto drivers/virtio drivers/net/*.ko drivers/char/*.ko"
# What the guest needs before it sees a file of the host's.
first="virtio_pci virtio_console 9pnet_virtio 9p overlay"

fail() { echo "fetch.sh: $*" >&2 && exit 1; }
is_unpacked() { [ -s "$vm/packages" ]; }
is_whole() { is_unpacked && [ "$vm/initramfs" -nt "$here/init" ] && [ "$vm/initramfs" -nt "$here/fetch.sh" ]; }

kernel_package() { apt-cache show linux-image-amd64 | sed -n 's/^Depends: \(linux-image-[^ ,]*\).*/\1/p' | head -n 1; }
# The user that apt downloads as may not write here.
apt() { apt-get -qq -o APT::Sandbox::User=root -o Acquire::Retries=1 -o Acquire::http::Timeout=20 "$@"; }
download() { apt download "$(kernel_package)" $programs; }

unpack() { # FILE PATTERN…: into root, where the merged /usr of the host is
  file=$1 && shift
  dpkg-deb --fsys-tarfile "$file" | tar -x -C "$root" --wildcards --no-wildcards-match-slash \
    --transform 'flags=r;s,^\./\(bin\|sbin\|lib\)\(/\|$\),./usr/\1\2,' "$@"
}

# A kernel that is not packed boots sooner: unpacking it under emulation takes seconds. The layout is that of the x86
# boot protocol: a number of sectors at 0x1f1, where the payload starts and how long it is at 0x248.
number() { od -An -t "u$3" -j "$2" -N "$3" "$1" | tr -d ' '; }
unpack_kernel() { # BZIMAGE
  start=$(( ($(number "$1" 497 1) + 1) * 512 + $(number "$1" 584 4) ))
  # Behind an xz stream stand four bytes more. A kernel packed in another way boots as it is.
  length=$(($(number "$1" 588 4) - 4))
  tail -c "+$((start + 1))" "$1" | head -c "$length" | xz -dc >"$vm/kernel" || cp "$1" "$vm/kernel"
}

unpack_all() { # FOLDER with the packages
  mkdir -p "$root"
  set -- "$1" "$1"/linux-image-*.deb
  echo "$modules" | tr ' ' '\n' | sed 's,^,./lib/modules/*/kernel/,' >"$1/wanted"
  unpack "$2" './boot/vmlinuz-*' './lib/modules/*/modules.*' -T "$1/wanted"
  for program in $programs; do unpack "$1/$program"_*.deb --exclude=./usr/share --exclude=./etc .; done
  find "$root/usr/lib/modules" -name '*.ko.xz' -exec xz -d {} +
  for name in modprobe insmod rmmod lsmod depmod; do ln -sf ../bin/busybox "$root/usr/sbin/$name"; done
  "$root/usr/bin/busybox" depmod -b "$root/usr" "$(ls "$root/usr/lib/modules")"
  unpack_kernel "$root"/boot/vmlinuz-*
  rm -r "$root/boot"
  (cd "$1" && ls *.deb) >"$vm/packages"
}

fetch() {
  [ "$(uname -m)" = x86_64 ] || fail "only for x86_64 so far"
  for tool in apt-get dpkg-deb xz; do command -v $tool >/dev/null || fail "$tool is missing: this is no Debian"; done
  echo "Downloading Debian's kernel for the IPVS tests, about 73 MB, into .vm" >&2
  rm -rf "$root" "$vm"/*.part
  mkdir "$vm/debs.part" && cd "$vm/debs.part"
  # A list of packages that is missing or too old shows only now.
  download 2>/dev/null || { apt update && download; } || fail "apt-get could not download it"
  unpack_all "$vm/debs.part"
  rm -r "$vm/debs.part"
}

build_initramfs() {
  tree=$vm/initramfs.part busybox=$root/usr/bin/busybox release=$(ls "$root/usr/lib/modules")
  rm -rf "$tree" && mkdir -p "$tree/bin" "$tree/modules"
  cp "$busybox" "$tree/bin" && cp "$here/init" "$tree/init" && chmod 755 "$tree/init"
  number=10
  for module in $first; do
    for file in $(dependencies "$module"); do
      # One that two others need comes with the first of them.
      ls "$tree"/modules/*"-${file##*/}" >/dev/null 2>&1 ||
        cp "$root/usr/lib/modules/$release/$file" "$tree/modules/$number-${file##*/}"
      number=$((number + 1))
    done
  done
  (cd "$tree" && find . | "$busybox" cpio -o -H newc 2>/dev/null) >"$vm/initramfs.new"
  mv "$vm/initramfs.new" "$vm/initramfs" && rm -r "$tree"
}
# The files of a module, those that it needs first. In modules.dep the nearest need comes first.
dependencies() {
  sed -n "s,^\(.*/$1\.ko\):\(.*\),\1\2,p" "$root/usr/lib/modules/$release/modules.dep" | tr ' ' '\n' | tac
}

command -v qemu-system-x86_64 >/dev/null || fail "qemu-system-x86_64 is missing (Debian package qemu-system-x86)"
is_whole && exit
[ "${1-}" != --check ] || fail "root has not run scripts/vm/fetch.sh yet"
mkdir -p "$vm"
vm=$(cd "$vm" && pwd) root=$vm/root
exec 9>"$vm/lock"
flock 9
is_unpacked || fetch
is_whole || build_initramfs

#!/bin/sh
# Runs a command in a clean root: this machine's own Debian below an overlay that is thrown away, without Node unless
# WAYBILL_TEST_KEEPS_NODE is set, without anything in the places where people and programs put their own. Needs root. Called
# inside `unshare --mount --pid --fork`.
# Arguments: a folder that the command finds as /given, and the command.
set -eu
given=$1; shift
mount --make-rprivate /
place=$(mktemp -d /tmp/waybill-root-XXXXXX)
mount -t tmpfs -o size=3g tmpfs "$place"
mkdir "$place/upper" "$place/work" "$place/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$place/upper,workdir=$place/work" "$place/root"
root=$place/root
for hidden in work home root opt srv usr/local mnt; do
  [ ! -d "$root/$hidden" ] || mount -t tmpfs tmpfs "$root/$hidden"
done
mkdir -p "$root/given"
mount --bind "$given" "$root/given"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
mount -t tmpfs tmpfs "$root/run"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
if [ -z "${WAYBILL_TEST_KEEPS_NODE:-}" ]; then
  for name in node nodejs npm npx; do rm -f "$root/usr/bin/$name"; done
fi
exec chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"

#!/bin/sh
# Prepares the files of the container image below a folder: image-root.sh FOLDER EXECUTABLE ARCHITECTURE. The libraries come from
# the package sources of this Debian, for any architecture, in a separate apt state.
set -eu
folder=$1 executable=$2 arch=$3
root=$folder/root
apt=$(mktemp -d)
trap 'rm -rf "$apt"' EXIT
mkdir -p "$root/etc" "$root/tmp" "$folder/data" "$apt/state/lists/partial" "$apt/cache/archives/partial" "$apt/debs"
: > "$apt/status"
cd "$apt/debs"
for command in update 'download libc6 libstdc++6 libgcc-s1 libatomic1'; do
  # shellcheck disable=SC2086
  apt-get -qq -oDir::State="$apt/state" -oDir::State::status="$apt/status" -oDir::Cache="$apt/cache" \
    -oAPT::Architecture="$arch" -oAPT::Architectures="$arch" -oAPT::Sandbox::User= $command > /dev/null
done
for deb in *.deb; do dpkg-deb -x "$deb" "$root"; done
cd "$root"
rm -rf usr/share lib/*/gconv usr/lib/*/gconv lib/*/audit usr/lib/*/audit
printf 'root:x:0:0::/:/sbin/nologin\nwaybill:x:10001:10001::/data:/sbin/nologin\n' > etc/passwd
printf 'root:x:0:\nwaybill:x:10001:\n' > etc/group
echo 'hosts: files dns' > etc/nsswitch.conf
mkdir -p usr/bin
cp "$executable" usr/bin/waybill-server
chmod 755 usr/bin/waybill-server
ln -sf waybill-server usr/bin/waybill
chmod 1777 tmp
chmod 770 "$folder/data"

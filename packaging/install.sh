#!/bin/sh
# Installs the executable file of Waybill after it has compared its SHA-256 checksum:
#   sh install.sh [--to FOLDER] [--yes] FROM
# FROM is the address or the folder that has waybill-server-linux-<arch> and SHA256SUMS. Shows what it will do, and asks before
# it writes. Runs nothing that it has downloaded.
set -eu
say() { printf '%s\n' "$*"; }
stop() { printf 'install.sh: %s\n' "$*" >&2; exit 1; }

folder=/usr/local/bin from='' asks=yes
while [ $# -gt 0 ]; do
  case $1 in
    --to) [ $# -gt 1 ] || stop '--to needs a folder'; folder=$2; shift ;;
    --yes) asks=no ;;
    -*) stop "there is no option $1" ;;
    *) [ -z "$from" ] || stop 'give one address or folder'; from=${1%/} ;;
  esac
  shift
done
[ -n "$from" ] || stop 'usage: sh install.sh [--to FOLDER] [--yes] FROM'

[ "$(uname -s)" = Linux ] || stop "Waybill runs on Linux, this is $(uname -s)"
case $(uname -m) in
  x86_64 | amd64) arch=x64 ;;
  aarch64 | arm64) arch=arm64 ;;
  *) stop "there is no executable file for $(uname -m)" ;;
esac
name=waybill-server-linux-$arch
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fetch() {
  case $from in
    https://* | http://localhost[:/]* | http://127.0.0.1[:/]*)
      curl --fail --silent --show-error --location --output "$work/$1" "$from/$1" || stop "cannot download $from/$1" ;;
    *://*) stop 'only https:// addresses are safe to install from' ;;
    *) cp "$from/$1" "$work/$1" || stop "cannot read $from/$1" ;;
  esac
}

fetch SHA256SUMS
wanted=$(sed -n "s/^\([0-9a-f]\{64\}\) [ *]$name\$/\1/p" "$work/SHA256SUMS")
[ -n "$wanted" ] || stop "SHA256SUMS does not name $name"
fetch "$name"
found=$(sha256sum "$work/$name" | cut -d ' ' -f 1)
[ "$found" = "$wanted" ] || stop "$name has the checksum $found instead of $wanted: it is damaged or was replaced. Nothing was installed"

say "$name from $from"
say "SHA-256 $found, as in SHA256SUMS"
say "will be installed as $folder/waybill-server, with the link $folder/waybill"
say 'Compare the checksum with one that you got in another way, such as from the release notes.'
if [ "$asks" = yes ]; then
  [ -t 0 ] || stop 'there is no terminal to ask: run it with --yes'
  printf 'Install? [y/N] '
  read -r answer
  case $answer in y | Y | yes) ;; *) stop 'nothing was installed' ;; esac
fi
mkdir -p "$folder"
install -m 0755 "$work/$name" "$folder/.waybill-server.new"
mv "$folder/.waybill-server.new" "$folder/waybill-server"
ln -sf waybill-server "$folder/waybill"
say "Installed. Start it with: $folder/waybill-server start"

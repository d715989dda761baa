#!/bin/sh
# Runs in a clean root (scripts/test-package.ts): installs a package, upgrades it, removes and purges it, and looks after each
# step. Arguments: the package before, the package now. The first thing that is not as it should be ends it.
set -eu
before=$1 now=$2 port=$3
export WAYBILL_SERVER=http://127.0.0.1:$port WAYBILL_API_KEY=PackageKeyPackageKey00 HOME=/tmp/home
must() { "$@" || { echo "not so: $*" >&2; exit 1; }; }
service() { # as the unit runs it
  su -s /bin/sh waybill -c "cd /var/lib/waybill && exec env WAYBILL_DATA_DIR=/var/lib/waybill WAYBILL_WORKERS=2 \
    WAYBILL_LISTEN=127.0.0.1:$port WAYBILL_BASE_URL=$WAYBILL_SERVER WAYBILL_ADMIN_EMAIL=root@example.com \
    WAYBILL_ADMIN_PASSWORD='seven lamps under a quiet river' WAYBILL_ADMIN_API_KEY=$WAYBILL_API_KEY \
    WAYBILL_MIN_FREE_SPACE=0 waybill-server start" > /tmp/service.log 2>&1 &
  service=$!
  tries=0
  until waybill --quiet whoami > /dev/null 2>&1; do
    kill -0 $service 2> /dev/null && [ $tries -lt 600 ] || { cat /tmp/service.log >&2; exit 1; }
    tries=$((tries + 1)); sleep 0.2
  done
}
stop() { pkill -TERM -P $service -x waybill-server || kill $service; wait $service 2> /dev/null || true; }
mkdir -p /tmp/home
if command -v node > /dev/null; then echo 'this root has a Node' >&2; exit 1; fi

echo '- installs'
dpkg -i "$before" > /tmp/dpkg.log 2>&1 || { cat /tmp/dpkg.log >&2; exit 1; }
must grep -q 'setup-token" prints the address and the token' /tmp/dpkg.log
must test "$(dpkg-query -W -f '${Installed-Size}' waybill)" -gt 100000
must test "$(stat -c '%U %a' /var/lib/waybill)" = 'waybill 700'
must test "$(stat -c '%U %a' /etc/waybill/waybill.env)" = 'root 640'
must test "$(waybill --version)" = "$(waybill-server version)"
for file in /usr/share/man/man1/waybill.1.gz /usr/share/man/man8/waybill-server.8.gz /usr/lib/systemd/system/waybill.service \
  /usr/share/bash-completion/completions/waybill /usr/share/zsh/vendor-completions/_waybill \
  /usr/share/fish/vendor_completions.d/waybill.fish; do must test -s $file; done
must dpkg --verify waybill
must systemd-analyze verify --man=no waybill.service
must systemd-analyze security --offline=yes --threshold=20 --no-pager /usr/lib/systemd/system/waybill.service > /tmp/security.log
service
echo 'kept over an upgrade' > /tmp/note.txt
link=$(waybill --quiet link /tmp/note.txt)
stop
echo '# a change of the operator' >> /etc/waybill/waybill.env

echo '- upgrades'
dpkg -i "$now" > /tmp/dpkg.log 2>&1 < /dev/null || { cat /tmp/dpkg.log >&2; exit 1; }
must grep -q 'a change of the operator' /etc/waybill/waybill.env
service
must test "$(waybill --quiet get "$link" -o - 2> /dev/null)" = 'kept over an upgrade'
stop

echo '- is removed'
dpkg -r waybill > /tmp/dpkg.log 2>&1 < /dev/null
must test ! -e /usr/bin/waybill-server
must test ! -e /usr/bin/waybill
must test -e /etc/waybill/waybill.env
must test -e /var/lib/waybill/master.key

echo '- is purged, and keeps what people stored'
dpkg -P waybill > /tmp/dpkg.log 2>&1 < /dev/null
must test ! -e /etc/waybill
must test -e /var/lib/waybill/master.key
must grep -q 'are kept' /tmp/dpkg.log
must test -z "$(dpkg-query -W -f '${Status}' waybill 2> /dev/null)"
echo 'all as it should be'

#!/bin/sh
# Runs in a clean root with Node (scripts/try-install.ts): installs from the sources as docs/operate/install.md says, then runs the
# service as its unit would. /given has the sources, the lines of the page and a store of npm packages.
set -eu
port=$1
must() { "$@" || { echo "not so: $*" >&2; exit 1; }; }
export HOME=/tmp/home npm_config_cache=/given/npm npm_config_prefer_offline=true npm_config_update_notifier=false
mkdir -p /tmp/home /usr/local/bin
export PATH="$PATH:/usr/local/bin"

echo '- is installed from the sources'
(cd /given/sources && sh -eu /given/page.sh > /tmp/install.log 2>&1) || { tail -n 40 /tmp/install.log >&2; exit 1; }
must test "$(stat -c '%U %a' /var/lib/waybill)" = 'waybill 700'
must test "$(stat -c '%U %G %a' /etc/waybill)" = 'root waybill 750'
must waybill-server version > /dev/null
install -o root -g waybill -m 0640 /given/settings.env /etc/waybill/waybill.env
install -m 0644 /opt/waybill/docs/operate/waybill.service /etc/systemd/system/waybill.service
must systemd-analyze verify --man=no waybill.service

echo '- serves as its own user, and commands of root leave nothing that the service cannot read'
program=$(sed -n 's/^ExecStart=//p' /etc/systemd/system/waybill.service)
su -s /bin/sh waybill -c "set -a; . /etc/waybill/waybill.env; WAYBILL_LISTEN=127.0.0.1:$port; cd /opt/waybill; exec $program" \
  > /tmp/service.log 2>&1 &
service=$!
sed -i "s/^WAYBILL_LISTEN=.*/WAYBILL_LISTEN=127.0.0.1:$port/" /etc/waybill/waybill.env
tries=0
until waybill-server health > /dev/null 2>&1; do
  kill -0 $service 2> /dev/null && [ $tries -lt 600 ] || { cat /tmp/service.log >&2; exit 1; }
  tries=$((tries + 1)); sleep 0.2
done
must waybill-server setup-token > /dev/null
must waybill-server store > /dev/null
must test -z "$(find /var/lib/waybill ! -user waybill)"
pkill -TERM -P $service || kill $service
wait $service 2> /dev/null || true

// Configuration files of the Swift test server. Wide time limits, because Swift avoids a slow device for a minute.

export const storageServers = ['account', 'container', 'object'] as const;
type StorageServer = (typeof storageServers)[number];

export interface SwiftPlaces {
  etc: string;
  devices: string;
  user: string;
  ports: Record<'proxy' | 'cache' | StorageServer, number>;
}

export const swiftConf = `[swift-hash]
swift_hash_path_prefix = waybill
swift_hash_path_suffix = test
`;

export function storageConf(name: StorageServer, places: SwiftPlaces): string {
  return `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${places.ports[name]}
devices = ${places.devices}
mount_check = false
workers = 0
user = ${places.user}
swift_dir = ${places.etc}
fallocate_reserve = 0
disable_fallocate = true
db_preallocation = off
log_level = WARNING
conn_timeout = 10
node_timeout = 60
# A write is answered only after the bucket lists the object, as in S3.
container_update_timeout = 60

[pipeline:main]
pipeline = ${name}-server

[app:${name}-server]
use = egg:swift#${name}
`;
}

export function proxyConf(places: SwiftPlaces): string {
  return `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${places.ports.proxy}
workers = 0
user = ${places.user}
swift_dir = ${places.etc}
log_level = WARNING

[pipeline:main]
pipeline = catch_errors cache listing_formats s3api tempauth slo dlo versioned_writes symlink proxy-server

[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
conn_timeout = 10
node_timeout = 60
recoverable_node_timeout = 60
error_suppression_limit = 1000000
error_suppression_interval = 1

[filter:catch_errors]
use = egg:swift#catch_errors

[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:${places.ports.cache}
memcache_max_connections = 50

[filter:listing_formats]
use = egg:swift#listing_formats

[filter:s3api]
use = egg:swift#s3api
location = us-east-1
s3_acl = false
max_upload_part_num = 10000

[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = testing .admin

[filter:slo]
use = egg:swift#slo
max_manifest_segments = 10000

[filter:dlo]
use = egg:swift#dlo

[filter:versioned_writes]
use = egg:swift#versioned_writes
allow_versioned_writes = true
allow_object_versioning = true

[filter:symlink]
use = egg:swift#symlink
`;
}

/** Creates the three rings in one Python process; the command-line tool would take nine. */
export function ringScript(places: SwiftPlaces): string {
  const servers = storageServers.map((name) => `(${JSON.stringify(name)}, ${places.ports[name]})`).join(', ');
  return `
from swift.common.ring import RingBuilder
for name, port in [${servers}]:
    builder = RingBuilder(4, 1, 0)
    builder.add_dev({'region': 1, 'zone': 1, 'ip': '127.0.0.1', 'port': port, 'device': 'd1', 'weight': 1.0})
    builder.rebalance()
    builder.get_ring().save(${JSON.stringify(places.etc)} + '/' + name + '.ring.gz')
`;
}

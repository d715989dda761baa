// Real faults of mail server, name server, proxy, database server and bucket, with the expected finding and solution.

import { postgresAndDisk, postgresAndS3 } from '#test/kit/engines.ts';
import { startNameServer } from '#test/kit/name-server.ts';
import { findTestServers } from '#test/kit/servers/addresses.ts';
import { startRelay } from '#test/kit/smtp-relay.ts';
import {
  type Fault,
  type Planted,
  setting,
  startProxy,
  startRefusingDatabase,
  startStranger,
} from './doctor-surroundings.ts';

async function relayRefusing(): Promise<Planted> {
  const relay = await startRelay({
    disabledCommands: [],
    hideSTARTTLS: true,
    allowInsecureAuth: true,
    onAuth: (_auth, _session, callback) => callback(new Error('Invalid login')),
  });
  return { environment: { WAYBILL_SMTP_URL: `smtp://waybill:wrong@127.0.0.1:${relay.port}` }, undo: relay.close };
}

async function relayWithoutEncryption(): Promise<Planted> {
  const relay = await startRelay();
  // A name of this machine that is not a loopback name, for which encryption is not required.
  return { environment: { WAYBILL_SMTP_URL: `smtp://0.0.0.0:${relay.port}` }, undo: relay.close };
}

/** A sender domain with only these records, and a mail server that accepts everything. */
async function domain(records: Record<string, string> | null): Promise<Planted> {
  const relay = await startRelay();
  const names = await startNameServer(records);
  return {
    environment: {
      WAYBILL_SMTP_URL: `smtp://127.0.0.1:${relay.port}`,
      WAYBILL_MAIL_FROM: 'files@ours.example',
      WAYBILL_NAME_SERVER: names.address,
    },
    async undo() {
      names.close();
      await relay.close();
    },
  };
}

export const mailFaults: Fault[] = [
  setting(
    'a mail server whose port is closed',
    { WAYBILL_SMTP_URL: 'smtp://127.0.0.1:1' },
    /mail: .*refuses connections on port 1/,
    /Check the port/,
  ),
  setting(
    'a mail server whose name does not exist',
    { WAYBILL_SMTP_URL: 'smtp://relay.invalid:587' },
    /no server named relay\.invalid/,
    /Check the spelling/,
  ),
  setting(
    'a syslog server whose port is closed',
    { WAYBILL_SYSLOG_URL: 'tls://127.0.0.1:1' },
    /syslog: The syslog server: 127\.0\.0\.1 refuses connections on port 1/,
    /WAYBILL_SYSLOG_URL/,
  ),
  setting(
    'a file of events without a folder',
    { WAYBILL_EVENTS_FILE: '/nowhere/events.jsonl' },
    /events file: .* there is no folder \/nowhere/,
    /mkdir -p \/nowhere/,
  ),
  {
    name: 'a password that the mail server refuses',
    plant: relayRefusing,
    sentence: /doesn’t accept the user name and password/,
    cure: /WAYBILL_SMTP_URL/,
  },
  {
    name: 'a mail server without encryption',
    plant: relayWithoutEncryption,
    sentence: /offers no encryption/,
    cure: /STARTTLS/,
  },
  {
    name: 'a missing SPF record',
    plant: () => domain({}),
    sentence: /has no SPF record/,
    cure: /ours\.example TXT "v=spf1/,
  },
  {
    name: 'a missing DMARC record',
    plant: () => domain({}),
    sentence: /has no DMARC record/,
    cure: /_dmarc\.ours\.example TXT/,
  },
  {
    name: 'a missing DKIM key',
    state: 'warn',
    plant: () => domain({}),
    sentence: /No DKIM key/,
    cure: /Switch DKIM on/,
  },
  {
    name: 'a name server that keeps silent',
    plant: () => domain(null),
    sentence: /name server doesn’t answer/,
    cure: /WAYBILL_NAME_SERVER/,
  },
];

/** Between proxy and service. */
export const faultsOnTheWay: Fault[] = [
  {
    name: 'a port that another program has',
    plant: () => startStranger((url) => ({ WAYBILL_LISTEN: url.host })),
    sentence: /service: Another program answers/,
    cure: /WAYBILL_LISTEN/,
  },
  {
    name: 'a service that does not run',
    state: 'warn',
    plant: async () => ({}),
    sentence: /the service is not running/,
    cure: /waybill-server start/,
  },
  {
    name: 'a public name that does not exist',
    plant: async ({ running }) => ({ environment: { ...running, WAYBILL_BASE_URL: 'http://files.invalid' } }),
    sentence: /no machine named files\.invalid/,
    cure: /WAYBILL_BASE_URL/,
  },
  {
    name: 'a public address where nothing answers',
    plant: async ({ running }) => ({ environment: { ...running, WAYBILL_BASE_URL: 'http://127.0.0.1:1' } }),
    sentence: /Nothing answers at/,
    cure: /Start the proxy/,
  },
  {
    name: 'a public address of another service',
    plant: ({ running }) => startStranger((url) => ({ ...running, WAYBILL_BASE_URL: url.origin })),
    sentence: /Something else answers/,
    cure: /WAYBILL_BASE_URL/,
  },
  {
    name: 'a public address without encryption',
    async plant(place) {
      const { environment, undo } = await startProxy(place, 'tells visitors');
      const unprotected = environment!.WAYBILL_BASE_URL!.replace('127.0.0.1', '0.0.0.0');
      return { environment: { ...environment, WAYBILL_BASE_URL: unprotected }, undo: undo! };
    },
    sentence: /over plain HTTP/,
    cure: /certificate/,
  },
  {
    name: 'a proxy that hides where visitors come from',
    plant: (place) => startProxy(place, 'hides visitors'),
    sentence: /doesn’t tell where visitors come from/,
    cure: /X-Forwarded-For/,
  },
  {
    name: 'a proxy that is not trusted',
    plant: (place) => startProxy(place, 'tells visitors'),
    sentence: /isn’t trusted/,
    cure: /WAYBILL_TRUST_PROXY/,
  },
  {
    name: 'a trusted network in which clients may be',
    plant: async () => ({ environment: { WAYBILL_TRUST_PROXY: '10.0.0.0/16' }, undo: async () => {} }),
    state: 'warn',
    sentence: /trusts 10\.0\.0\.0\/16: every machine there/,
    cure: /exact addresses/,
  },
  {
    name: 'a number of proxies while any client can connect',
    plant: async () => ({
      environment: { WAYBILL_TRUST_PROXY: '1', WAYBILL_LISTEN: '0.0.0.0:1' },
      undo: async () => {},
    }),
    state: 'warn',
    sentence: /trusts every connection/,
    cure: /WAYBILL_TRUST_PROXY=10\.0\.0\.5,1/,
  },
  {
    name: 'a proxy that changes the name',
    plant: (place) => startProxy(place, 'tells visitors'),
    sentence: /as the name instead of/,
    cure: /proxy_set_header Host/,
  },
  {
    name: 'a proxy that refuses large bodies',
    plant: (place) => startProxy(place, 'refuses large bodies'),
    sentence: /refuses bodies larger than/,
    cure: /client_max_body_size/,
  },
  {
    name: 'a proxy that holds uploads back',
    plant: (place) => startProxy(place, 'holds bodies back'),
    sentence: /keeps uploads until they are complete/,
    cure: /proxy_request_buffering off/,
  },
  {
    name: 'a proxy that the service does not answer',
    plant: (place) => startProxy(place, 'is not connected'),
    sentence: /doesn’t reach this server \(502\)/,
    cure: /WAYBILL_LISTEN/,
  },
];

const postgres = (change: (url: URL) => void) => async (): Promise<Planted> => {
  const url = new URL(findTestServers()!.postgresUrl);
  change(url);
  return { environment: { WAYBILL_DATABASE_URL: url.href } };
};

const bucket = (change: Record<string, string>) => async (): Promise<Planted> => {
  const { environment, drop } = await postgresAndS3.create('migrated');
  const { WAYBILL_DATABASE_URL: _, WAYBILL_DATA_DIR: __, ...settings } = environment;
  return { environment: { ...settings, ...change }, undo: drop };
};

/** Needs the servers of the test command. */
export const withServers: Fault[] =
  findTestServers() === null
    ? []
    : [
        {
          name: 'a host of the database that does not exist',
          plant: postgres((url) => {
            url.hostname = 'db.invalid';
          }),
          sentence: /database: .*db\.invalid/,
          cure: /host in WAYBILL_DATABASE_URL/,
        },
        {
          name: 'a database server that does not run',
          plant: postgres((url) => {
            url.port = '1';
          }),
          sentence: /database: .*refused|ECONNREFUSED/i,
          cure: /Start PostgreSQL/,
        },
        {
          name: 'a database that does not exist',
          plant: postgres((url) => {
            url.pathname = '/nothing_here';
          }),
          sentence: /database: .*nothing_here/,
          cure: /createdb/,
        },
        {
          name: 'a wrong password of the database',
          plant: startRefusingDatabase,
          sentence: /password authentication failed/,
          cure: /user and password in WAYBILL_DATABASE_URL/,
        },
        {
          name: 'too few connections',
          async plant() {
            const { environment, drop } = await postgresAndDisk.create('migrated');
            return { environment: { ...environment, WAYBILL_DATABASE_CONNECTIONS: '9999' }, undo: drop };
          },
          sentence: /connections: The database permits \d+ connections/,
          cure: /WAYBILL_DATABASE_CONNECTIONS=\d+/,
        },
        {
          name: 'a bucket that does not exist',
          plant: bucket({ WAYBILL_S3_BUCKET: 'nothing-here' }),
          sentence: /store: bucket nothing-here/,
          cure: /WAYBILL_S3_BUCKET/,
        },
        {
          name: 'a wrong secret of the bucket',
          plant: bucket({ WAYBILL_S3_SECRET_KEY: 'wrong' }),
          sentence: /store: bucket .* cannot be used/,
          cure: /WAYBILL_S3_SECRET_KEY/,
        },
      ];

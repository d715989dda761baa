// Real faults of the machine, the database and the store, with the expected finding and solution of the doctor.
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Fault, type Place, type Planted, setting } from './doctor-surroundings.ts';

/** Replaces the content of a file until it is restored. */
async function replaced(path: string, content: string | null, mode = 0o600): Promise<Planted> {
  await rename(path, `${path}.aside`);
  if (content !== null) await writeFile(path, content, { mode });
  if (content !== null) await chmod(path, mode);
  return { undo: () => rename(`${path}.aside`, path) };
}

async function statements(place: Place, plant: string, undo: string): Promise<Planted> {
  const run = async (statement: string) => {
    using database = new DatabaseSync(join(place.dataDir, 'waybill.db'));
    database.exec(statement);
  };
  await run(plant);
  return { undo: () => run(undo) };
}

const keyFile = (place: Place) => join(place.dataDir, 'master.key');
const someKey = Buffer.alloc(32, 9).toString('base64');

const configuration: Fault[] = [
  setting(
    'a setting that does not exist',
    { WAYBILL_BASEURL: 'x' },
    /did you mean WAYBILL_BASE_URL/,
    /docs\/operate\/configuration/,
  ),
  setting('a wrong value', { WAYBILL_MIN_FREE_SPACE: 'lots' }, /WAYBILL_MIN_FREE_SPACE must be a size/, /Correct it/),
  setting('an SMTP address with bare signs', { WAYBILL_SMTP_URL: 'smtp://a:b/c#@d:587' }, /%2F/, /Correct it/),
];

const machine: Fault[] = [
  {
    name: 'a data folder that all users can change',
    async plant({ dataDir }) {
      await chmod(dataDir, 0o777);
      return { undo: () => chmod(dataDir, 0o700) };
    },
    sentence: /data folder: .* changed by all users/,
    cure: /^chmod 700 \//,
  },
  {
    name: 'a file in the place of the data folder',
    async plant({ folder }) {
      const path = join(folder, 'file');
      await writeFile(path, '');
      return { environment: { WAYBILL_DATA_DIR: path } };
    },
    sentence: /data folder: .*file is a file/,
    cure: /WAYBILL_DATA_DIR/,
  },
  setting(
    'a locations file that is not there',
    { WAYBILL_GEOIP_DB: '/no/such.mmdb' },
    /locations file: \/no\/such/,
    /WAYBILL_GEOIP_DB/,
  ),
  setting(
    'a disk that is nearly full',
    { WAYBILL_MIN_FREE_SPACE: '900TiB' },
    /uploads are refused/,
    /WAYBILL_MIN_FREE_SPACE/,
  ),
  {
    name: 'a master key that others can read',
    plant: async (place) => replaced(keyFile(place), await readFile(keyFile(place), 'utf8'), 0o644),
    sentence: /master key: .*master\.key/,
    cure: /^chmod 600 \//,
  },
  {
    name: 'a master key that is none',
    plant: (place) => replaced(keyFile(place), 'not a key'),
    sentence: /is not 32 bytes in Base64/,
    cure: /Put the right key there/,
  },
  {
    name: 'a master key that is gone',
    plant: (place) => replaced(keyFile(place), null),
    sentence: /The master key is missing/,
    cure: /Put the right key there/,
  },
  {
    name: 'a master key of another installation',
    plant: (place) => replaced(keyFile(place), someKey),
    sentence: /master key does not belong to this database/,
    cure: /master\.key/,
  },
];

const database: Fault[] = [
  {
    name: 'a database of a newer version',
    plant: (place) =>
      statements(
        place,
        "INSERT INTO migrations (name, applied_at, needs, version) VALUES ('9999-of-tomorrow', 0, '9998-of-tomorrow', '9.0.0')",
        "DELETE FROM migrations WHERE name = '9999-of-tomorrow'",
      ),
    sentence: /database: .*belong to version 9\.0\.0 .*too old to work with them/,
    cure: /version that the sentence names/,
  },
  {
    name: 'a database without tables',
    plant: (place) =>
      statements(place, 'ALTER TABLE migrations RENAME TO aside', 'ALTER TABLE aside RENAME TO migrations'),
    sentence: /\d+ migrations are missing/,
    cure: /^waybill-server migrate$/,
  },
  {
    name: 'a database from before the baseline',
    plant: (place) =>
      statements(
        place,
        "ALTER TABLE migrations RENAME TO aside; CREATE TABLE migrations AS SELECT * FROM aside WHERE name = '0001-baseline'; UPDATE migrations SET name = '0068-attempt-limits'",
        'DROP TABLE migrations; ALTER TABLE aside RENAME TO migrations',
      ),
    sentence: /last migration is 00\d\d-[\w-]+\. Start the last version that has the migration 0069-console-views/,
    cure: /version that the sentence names/,
  },
  {
    name: 'a clock that is ahead of the database',
    plant: async ({ app }) => ({ instruments: { reference: async () => app.clock.now() - 3_600_000 } }),
    sentence: /clock: .*ahead of the clock of the database/,
    cure: /timedatectl/,
  },
  {
    name: 'a clock that was ahead once',
    plant: (place) => {
      const mark = "key = 'clock_high_water'";
      return statements(
        place,
        `INSERT INTO meta (key, value) VALUES ('clock_high_water', '0') ON CONFLICT DO NOTHING; UPDATE meta SET value = '9999999999999' WHERE ${mark}`,
        `UPDATE meta SET value = '0' WHERE ${mark}`,
      );
    },
    sentence: /has already seen/,
    cure: /clock --mend/,
  },
  {
    name: 'a copy that waits',
    state: 'warn',
    plant: (place) =>
      statements(
        place,
        "INSERT INTO meta (key, value) VALUES ('quarantine', 'copied')",
        "DELETE FROM meta WHERE key = 'quarantine'",
      ),
    sentence: /quarantine: This database was copied/,
    cure: /quarantine --end/,
  },
  {
    name: 'a public address in another domain than that of the passkeys',
    state: 'warn',
    plant: (place) =>
      statements(
        place,
        "INSERT INTO settings (id, document, version, updated_at) VALUES (1, '{}', 1, 0) ON CONFLICT DO NOTHING; UPDATE settings SET document = json_set(document, '$.passkeyDomain', 'other.example'); INSERT INTO passkeys VALUES ('p', 'c', 'root', '', 'Key', x'00', 0, '[]', 0, 0, NULL, '')",
        "UPDATE settings SET document = json_set(document, '$.passkeyDomain', NULL); DELETE FROM passkeys",
      ),
    sentence:
      /passkeys: Passkeys of 1 people and of 0 addresses of recipients were set up for other.example and do not work at/,
    cure: /WAYBILL_BASE_URL/,
  },
];

const store: Fault[] = [
  {
    name: 'a folder of files of another installation',
    plant: ({ dataDir }) =>
      replaced(join(dataDir, 'files', 'waybill-installation'), '{"installation":"theirs","beat":1}'),
    sentence: /store: .*belongs to another installation/,
    cure: /store --adopt/,
  },
  {
    name: 'a folder of files that is not mounted',
    async plant({ folder }) {
      const path = join(folder, 'not-mounted');
      await mkdir(path);
      return { environment: { WAYBILL_STORAGE_DIR: path } };
    },
    sentence: /has none of the files of this database/,
    cure: /Mount the folder/,
  },
  setting(
    'a bucket without a server',
    {
      WAYBILL_STORAGE: 's3',
      WAYBILL_S3_ENDPOINT: 'http://127.0.0.1:1',
      WAYBILL_S3_BUCKET: 'files',
      WAYBILL_S3_ACCESS_KEY: 'key',
      WAYBILL_S3_SECRET_KEY: 'secret',
    },
    /store: bucket files\/ cannot be used/,
    /WAYBILL_S3_ENDPOINT/,
  ),
];

export const faultsInside: Fault[] = [...configuration, ...machine, ...database, ...store];

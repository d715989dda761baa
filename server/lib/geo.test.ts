import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { buildDatabase, type Network, prefixOf } from '#test/kit/geo-database.ts';
import { openGeo } from './geo.ts';

const NOWHERE = {
  location: '',
  longitude: null,
  latitude: null,
  countryCode: '',
  countryName: '',
  city: '',
  regionCode: '',
  regionName: '',
};

const folder = await mkdtemp(join(tmpdir(), 'geo-'));
after(() => rm(folder, { recursive: true }));

async function save(name: string, bytes: Buffer): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, bytes);
  return path;
}

test('a file that is missing or no database is refused with its path', async () => {
  await assert.rejects(openGeo(join(folder, 'missing.mmdb')), /missing\.mmdb, which cannot be used: .*ENOENT/);
  const path = await save('wrong.mmdb', Buffer.from('this is no database, only some words'));
  await assert.rejects(openGeo(path), /wrong\.mmdb, which cannot be used: (?!Error)\w/);
});

test('without a database every address has no location', async () => {
  const geo = await openGeo(null);
  assert.deepEqual(geo.locate('192.0.2.1'), NOWHERE);
});

test('a city database in the MaxMind layout fills every field', async () => {
  const lyon = {
    city: { names: { en: 'Lyon', de: 'Lyon' } },
    country: { iso_code: 'FR', names: { en: 'France', de: 'Frankreich' } },
    location: { latitude: 45.75, longitude: 4.85 },
    subdivisions: [{ iso_code: 'ARA', names: { en: 'Auvergne-Rhone-Alpes' } }],
  };
  const path = await save('city.mmdb', buildDatabase([{ bits: prefixOf('192.0.2.0', 24), record: lyon }]));
  const geo = await openGeo(path);
  const expected = {
    location: 'Lyon, France',
    longitude: 4.85,
    latitude: 45.75,
    countryCode: 'FR',
    countryName: 'France',
    city: 'Lyon',
    regionCode: 'ARA',
    regionName: 'Auvergne-Rhone-Alpes',
  };
  assert.deepEqual(geo.locate('192.0.2.77'), expected);
  assert.deepEqual(geo.locate('::ffff:192.0.2.77'), expected);
  for (const ip of ['198.51.100.1', '2001:db8::1', 'nonsense', '']) assert.deepEqual(geo.locate(ip), NOWHERE, ip);
});

test('a flat database gives the country, named in words', async () => {
  const networks: Network[] = [
    { bits: prefixOf('192.0.2.0', 24), record: { country_code: 'JP' } },
    { bits: prefixOf('198.51.100.0', 24), record: { country_code: 'ZZZ' } },
    {
      bits: prefixOf('203.0.113.0', 24),
      record: { city: 'Porto', country_code: 'PT', latitude: 41.15, longitude: -8.61, state1: 'Norte' },
    },
  ];
  const geo = await openGeo(await save('flat.mmdb', buildDatabase(networks)));
  assert.deepEqual(geo.locate('192.0.2.1'), {
    ...NOWHERE,
    location: 'Japan',
    countryCode: 'JP',
    countryName: 'Japan',
  });
  assert.deepEqual(geo.locate('198.51.100.1'), NOWHERE);
  assert.deepEqual(geo.locate('203.0.113.1'), {
    location: 'Porto, Portugal',
    longitude: -8.61,
    latitude: 41.15,
    countryCode: 'PT',
    countryName: 'Portugal',
    city: 'Porto',
    regionCode: '',
    regionName: 'Norte',
  });
});

test('places are where their numbers say, also at the ends of the earth, and nowhere beyond', async () => {
  const at = (latitude: unknown, longitude: unknown) => ({ country_code: 'JP', latitude, longitude });
  const records = [at(90, -180), at(-90, 180), at(91, 181), at('35.5', '139.25'), at('', '')];
  const networks = records.map((record, index) => ({
    bits: prefixOf(`192.0.${index}.0`, 24),
    record: record as never,
  }));
  const geo = await openGeo(await save('ends.mmdb', buildDatabase(networks)));
  const long = { country_code: 'JP', city: 'x'.repeat(250) };
  const far = await openGeo(
    await save('long.mmdb', buildDatabase([{ bits: prefixOf('192.0.2.0', 24), record: long }])),
  );
  assert.equal(far.locate('192.0.2.1').city.length, 200);
  const places = records.map((_, index) => geo.locate(`192.0.${index}.1`));
  assert.deepEqual(
    places.map(({ latitude, longitude }) => [latitude, longitude]),
    [
      [90, -180],
      [-90, 180],
      [null, null],
      [35.5, 139.25],
      [null, null],
    ],
  );
});

test('a damaged record has no location and is no error', async () => {
  const bytes = buildDatabase([{ bits: prefixOf('192.0.2.0', 24), record: { country_code: 'JP' } }]);
  const at = bytes.indexOf('country_code') - 2;
  bytes.writeUInt32BE(0x38ffffff, at);
  const geo = await openGeo(await save('damaged.mmdb', bytes));
  assert.deepEqual(geo.locate('192.0.2.1'), NOWHERE);
});

// A realistic download log.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { testStart } from '#test/kit/app.ts';
import { downloadLine } from '#test/kit/download-lines.ts';
import { buildDatabase, prefixOf } from '#test/kit/geo-database.ts';
import { idOf, type SharedFile, share } from '#test/kit/shared-files.ts';
import type { AppFixture } from './app.fixture.ts';

const dayMs = 86_400_000;

/** A location database that puts this machine in Lyon. */
export function locations(): { environment: Record<string, string> } {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-geo-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const lyon = {
    city: { names: { en: 'Lyon' } },
    country: { iso_code: 'FR', names: { en: 'France' } },
    location: { latitude: 45.75, longitude: 4.85 },
    subdivisions: [{ iso_code: 'ARA', names: { en: 'Auvergne-Rhône-Alpes' } }],
  };
  const file = join(folder, 'places.mmdb');
  writeFileSync(file, buildDatabase([{ bits: prefixOf('127.0.0.0', 8), record: lyon }]));
  return { environment: { WAYBILL_GEOIP_DB: file } };
}

interface Place {
  code: string;
  name: string;
  city: string;
  latitude: number | null;
  longitude: number | null;
  /** Per hundred downloads. */
  share: number;
}

const places: Place[] = [
  { code: 'SE', name: 'Sweden', city: 'Stockholm', latitude: 59.33, longitude: 18.07, share: 34 },
  { code: 'FR', name: 'France', city: 'Lyon', latitude: 45.75, longitude: 4.85, share: 18 },
  { code: 'US', name: 'United States', city: 'Boston', latitude: 42.36, longitude: -71.06, share: 12 },
  { code: 'DE', name: 'Germany', city: 'Hamburg', latitude: 53.55, longitude: 9.99, share: 10 },
  { code: 'JP', name: 'Japan', city: 'Osaka', latitude: 34.69, longitude: 135.5, share: 6 },
  { code: 'BR', name: 'Brazil', city: 'Recife', latitude: -8.05, longitude: -34.9, share: 4 },
  { code: 'ZA', name: 'South Africa', city: 'Durban', latitude: -29.86, longitude: 31.02, share: 2 },
  { code: 'IS', name: 'Iceland', city: '', latitude: null, longitude: null, share: 2 },
  { code: '', name: '', city: '', latitude: null, longitude: null, share: 12 },
];

const devices = [
  { platform: 'desktop', browser: 'Firefox 145', os: 'Windows 11' },
  { platform: 'desktop', browser: 'Chrome 141', os: 'macOS 15' },
  { platform: 'mobile', browser: 'Safari 19', os: 'iOS 19' },
  { platform: '', browser: '', os: '' },
];

const people = ['ben@harbour.example', 'chiara@harbour.example', 'dana.okonkwo@quay-and-partners.example', ''];

/** Downloads of files shared by `name`, from 59 days ago until now. */
export async function fillLog(fixture: AppFixture, name: string, count: number, isLocated = true): Promise<void> {
  const owner = fixture.people[name]!;
  const files: SharedFile[] = [];
  for (const file of [
    'Harbour-sections-rev-C.pdf',
    'Cost-sheet-2026-11.xlsx',
    `${'Site photographs of the north quay, wing walls and slipway '.repeat(2)}(all).zip`,
    'invoice-\u202Efdp.txt',
    '<b>minutes</b>.txt',
  ])
    files.push(await share(owner, { name: file, bytes: 2000 }));
  const rows = Array.from({ length: count }, (_, index) => {
    const place = isLocated ? placeOf(index) : places.at(-1)!;
    const device = devices[((index * 7) % 11) % devices.length]!;
    const file = files[Math.floor(((index * 13) % 29) ** 2 / 170) % files.length]!;
    const age = Math.floor(60 * (index / count) ** 1.6) * dayMs + ((index * 4_000_037) % (8 * 3_600_000));
    const line = { owner_id: idOf(owner), number: count - index, attachment_id: file.attachmentId };
    return downloadLine(line, {
      link_id: file.linkId,
      recipient: people[((index * 3) % 7) % people.length]!,
      granted_at: testStart - age,
      finished_at: testStart - age + 900,
      sent_bytes: 48_200_000 + (index % 9) * 1_000_000,
      duration_ms: 900 + ((index * 333) % 20_000),
      remote_ip: '203.0.113.7',
      remote_host: 'mail.harbour.example',
      user_agent: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0',
      browser: device.browser,
      os: device.os,
      platform: device.platform,
      location: place.city === '' ? place.name : `${place.city}, ${place.name}`,
      longitude: place.longitude,
      latitude: place.latitude,
      country_code: place.code,
      country_name: place.name,
      city: place.city,
      region_code: place.code === 'FR' ? 'ARA' : '',
      region_name: place.code === 'FR' ? 'Auvergne-Rhône-Alpes' : '',
    });
  });
  for (let from = 0; from < rows.length; from += 500)
    await fixture.app.app.ctx.db.write(async (tx) => {
      await tx
        .insertInto('downloads')
        .values(rows.slice(from, from + 500))
        .execute();
    });
}

function placeOf(index: number): (typeof places)[number] {
  let rest = (index * 37) % 100;
  for (const place of places) {
    if (rest < place.share) return place;
    rest -= place.share;
  }
  return places.at(-1)!;
}

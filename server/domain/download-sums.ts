// Daily sums of the download log, so that statistics need not read its lines.
import { hash } from 'node:crypto';

export interface Sum {
  downloads: number;
  bytes: number;
}

export interface PlaceSum {
  countryCode: string;
  platform: string;
  downloads: number;
  /** Downloads with known coordinates. */
  located: number;
  latitude: number;
  longitude: number;
}

export interface DaySums {
  /** Since midnight UTC: days of every time zone consist of whole quarters. */
  quarters: Map<number, Sum>;
  places: Map<string, PlaceSum>;
  /** By file for one user, by owner for all. */
  parts: Map<string, Sum>;
  /** `personNumber` of each known address. */
  people: Set<number>;
}

export const quarterMs = 15 * 60_000;

export function emptyDaySums(): DaySums {
  return { quarters: new Map(), places: new Map(), parts: new Map(), people: new Set() };
}

export interface DownloadCell extends PlaceSum {
  quarter: number;
  bytes: number;
}

export function addCell(sums: DaySums, part: string, cell: DownloadCell): void {
  addSum(sums.quarters, cell.quarter, cell);
  addSum(sums.parts, part, cell);
  const key = `${cell.countryCode} ${cell.platform}`;
  const place = sums.places.get(key);
  if (place === undefined) {
    const { countryCode, platform, downloads, located, latitude, longitude } = cell;
    sums.places.set(key, { countryCode, platform, downloads, located, latitude, longitude });
    return;
  }
  joinPlace(place, cell);
}

export function joinPlace(sum: PlaceSum, more: PlaceSum): void {
  sum.downloads += more.downloads;
  sum.located += more.located;
  sum.latitude += more.latitude;
  sum.longitude += more.longitude;
}

export function addSum<Key>(sums: Map<Key, Sum>, key: Key, more: Sum): void {
  const sum = sums.get(key);
  if (sum === undefined) sums.set(key, { downloads: more.downloads, bytes: more.bytes });
  else {
    sum.downloads += more.downloads;
    sum.bytes += more.bytes;
  }
}

export function mostFirst<Value extends { downloads: number }>(sums: Map<string, Value>): [string, Value][] {
  return [...sums].toSorted(
    ([key, one], [otherKey, other]) => other.downloads - one.downloads || (key < otherKey ? -1 : 1),
  );
}

/** Counts distinct addresses. Among a thousand people two collide in one of ten thousand cases. */
export function personNumber(address: string): number {
  return hash('sha1', address, 'buffer').readUInt32LE(0);
}

/** Text for the sums, four bytes per person. */
export interface EncodedSums {
  sums: string;
  people: Buffer;
}

export function encodeDaySums({ quarters, places, parts, people }: DaySums): EncodedSums {
  const sumsOf = <Key>(sums: Map<Key, Sum>) => [...sums].map(([key, { downloads, bytes }]) => [key, downloads, bytes]);
  const placesOf = [...places.values()].map((place) => [
    place.countryCode,
    place.platform,
    place.downloads,
    place.located,
    place.latitude,
    place.longitude,
  ]);
  const numbers = Buffer.alloc(people.size * 4);
  let offset = 0;
  for (const person of people) offset = numbers.writeUInt32LE(person, offset);
  return {
    sums: JSON.stringify({ quarters: sumsOf(quarters), places: placesOf, parts: sumsOf(parts) }),
    people: numbers,
  };
}

interface Stored {
  quarters: [number, number, number][];
  places: [string, string, number, number, number, number][];
  parts: [string, number, number][];
}

/** Creates no objects: there may be a year of days. */
export interface SumsVisitor {
  quarter(quarter: number, sum: Sum): void;
  place(place: PlaceSum): void;
  part(part: string, sum: Sum): void;
  person(number: number): void;
}

export function visitDaySums(written: EncodedSums, taker: SumsVisitor): void {
  const stored = JSON.parse(written.sums) as Stored;
  for (const [quarter, downloads, bytes] of stored.quarters) taker.quarter(quarter, { downloads, bytes });
  for (const [countryCode, platform, downloads, located, latitude, longitude] of stored.places)
    taker.place({ countryCode, platform, downloads, located, latitude, longitude });
  for (const [part, downloads, bytes] of stored.parts) taker.part(part, { downloads, bytes });
  for (let offset = 0; offset < written.people.length; offset += 4) taker.person(written.people.readUInt32LE(offset));
}

export function countDownloads({ sums }: Pick<EncodedSums, 'sums'>): number {
  return (JSON.parse(sums) as Stored).quarters.reduce((count, [, downloads]) => count + downloads, 0);
}

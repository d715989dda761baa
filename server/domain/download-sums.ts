// What is kept of one day of the download log, so that the figures of a long log need not read its lines: sums by quarter of
// an hour, by place and device, and by file or owner, and who the different people were.
import { hash } from 'node:crypto';

export interface Sum {
  downloads: number;
  bytes: number;
}

/** Where downloads came from and on what kind of device. */
export interface PlaceSum {
  countryCode: string;
  platform: string;
  downloads: number;
  /** Of those with a known position: how many, and the sums of where. */
  located: number;
  latitude: number;
  longitude: number;
}

export interface DaySums {
  /** By the number of the quarter since midnight UTC: days of every time zone are made of whole ones. */
  quarters: Map<number, Sum>;
  places: Map<string, PlaceSum>;
  /** By file in the log of one person, by owner in that of all users. */
  parts: Map<string, Sum>;
  /** The number of each different known address. */
  people: Set<number>;
}

export const quarterMs = 15 * 60_000;

export function emptyDaySums(): DaySums {
  return { quarters: new Map(), places: new Map(), parts: new Map(), people: new Set() };
}

/** Downloads that have the quarter, the place and the part in common. */
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

/**
 * Stands for an address where only the number of different ones counts. 32 bits: among a thousand people two share a number
 * in one case of ten thousand, and then the count is one too low.
 */
export function personNumber(address: string): number {
  return hash('sha1', address, 'buffer').readUInt32LE(0);
}

/** As they are stored: text for the sums, four bytes for each person. */
export interface WrittenSums {
  sums: string;
  people: Buffer;
}

export function writeDaySums({ quarters, places, parts, people }: DaySums): WrittenSums {
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

/** Adds a stored day to what a figure is made of, without making an object of it first: there may be a year of them. */
export interface SumsTaker {
  quarter(quarter: number, sum: Sum): void;
  place(place: PlaceSum): void;
  part(part: string, sum: Sum): void;
  person(number: number): void;
}

export function takeDaySums(written: WrittenSums, taker: SumsTaker): void {
  const stored = JSON.parse(written.sums) as Stored;
  for (const [quarter, downloads, bytes] of stored.quarters) taker.quarter(quarter, { downloads, bytes });
  for (const [countryCode, platform, downloads, located, latitude, longitude] of stored.places)
    taker.place({ countryCode, platform, downloads, located, latitude, longitude });
  for (const [part, downloads, bytes] of stored.parts) taker.part(part, { downloads, bytes });
  for (let offset = 0; offset < written.people.length; offset += 4) taker.person(written.people.readUInt32LE(offset));
}

export function countDownloads({ sums }: Pick<WrittenSums, 'sums'>): number {
  return (JSON.parse(sums) as Stored).quarters.reduce((count, [, downloads]) => count + downloads, 0);
}

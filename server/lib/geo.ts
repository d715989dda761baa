// Approximate locations from a local database file. Never queries the network; an unknown address gives empty fields,
// never an error.
import { readFile } from 'node:fs/promises';
import { Reader, type Response } from 'maxmind';
import { canonicalIp } from './ip.ts';
import { OperatorProblem } from './operator-problem.ts';

export interface Location {
  /** `Lyon, France`, or the country alone. */
  location: string;
  longitude: number | null;
  latitude: number | null;
  /** ISO 3166. */
  countryCode: string;
  countryName: string;
  city: string;
  regionCode: string;
  regionName: string;
}

export interface Geo {
  /** False if there is no database. */
  readonly hasData: boolean;
  locate(ip: string): Location;
}

type Fields = Readonly<Record<string, unknown>>;

const NOWHERE: Location = {
  location: '',
  longitude: null,
  latitude: null,
  countryCode: '',
  countryName: '',
  city: '',
  regionCode: '',
  regionName: '',
};
const MAX_FIELD_CHARS = 200;

const countryNames = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });

/** The English name; the code if it is unknown. */
export function countryNameOf(code: string): string {
  try {
    return countryNames.of(code) ?? code;
  } catch {
    return code;
  }
}

/** Null: no database. Rejects with a sentence if the file is unusable. */
export async function openGeo(path: string | null): Promise<Geo> {
  if (path === null) return { hasData: false, locate: () => NOWHERE };
  const reader = await openReader(path);
  return {
    hasData: true,
    locate(ip) {
      const canonical = canonicalIp(ip);
      if (canonical === null) return NOWHERE;
      try {
        return readRecord(asFields(reader.get(canonical)));
      } catch {
        // An IPv6 address in an IPv4 database, or a damaged record.
        return NOWHERE;
      }
    },
  };
}

async function openReader(path: string): Promise<Reader<Response>> {
  try {
    return new Reader<Response>(await readFile(path));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new OperatorProblem(
      `WAYBILL_GEOIP_DB is ${path}, which cannot be used: ${reason}. Put the file there, or leave the setting out.`,
    );
  }
}

/** The layouts of MaxMind (nested, names by language) and ip-location-db (flat). */
function readRecord(record: Fields): Location {
  const country = asFields(record.country);
  const position = record.location === undefined ? record : asFields(record.location);
  const region = asFields(Array.isArray(record.subdivisions) ? record.subdivisions[0] : undefined);
  const countryCode = asCountryCode(country.iso_code ?? record.country_code);
  const countryName = englishName(country) || (countryCode === '' ? '' : (countryNames.of(countryCode) ?? ''));
  const city = typeof record.city === 'string' ? asText(record.city) : englishName(asFields(record.city));
  return {
    location: [city, countryName].filter((part) => part !== '').join(', '),
    longitude: asDegrees(position.longitude, 180),
    latitude: asDegrees(position.latitude, 90),
    countryCode,
    countryName,
    city,
    regionCode: asText(region.iso_code),
    regionName: englishName(region) || asText(record.state1),
  };
}

function englishName(place: Fields): string {
  return asText(asFields(place.names).en);
}

function asFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, MAX_FIELD_CHARS) : '';
}

function asCountryCode(value: unknown): string {
  const code = asText(value).toUpperCase();
  return /^[A-Z]{2}$/.test(code) ? code : '';
}

function asDegrees(value: unknown, most: number): number | null {
  const degrees = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof degrees === 'number' && Math.abs(degrees) <= most ? degrees : null;
}

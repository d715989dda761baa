// Derives readable tones of an organisation's colour. Every input meets the contrast rules.
import { contrast, hexOf, type Oklch, oklchOf } from './colour.ts';

/** Names of the roles in web/tokens.css, without `--color-`. */
export interface BrandTones {
  primary: string;
  'primary-hover': string;
  'primary-active': string;
  'on-primary': string;
  'primary-soft': string;
  'on-primary-soft': string;
}

export interface BrandColours {
  brand: string;
  onBrand: string;
  light: BrandTones;
  dark: BrandTones;
}

/** Text backgrounds of web/tokens.css. */
export const surfaces = {
  light: ['#f6f5f1', '#ffffff', '#efede7'],
  dark: ['#0f1315', '#161b1e', '#1d2326', '#0b0e10'],
} as const;

export const minTextContrast = 4.5;

export const defaultBrandColours: BrandColours = {
  brand: '#0e5a6b',
  onBrand: '#ffffff',
  light: {
    primary: '#0e5a6b',
    'primary-hover': '#0a4855',
    'primary-active': '#073843',
    'on-primary': '#ffffff',
    'primary-soft': '#e1eff1',
    'on-primary-soft': '#0a4855',
  },
  dark: {
    primary: '#63bbcd',
    'primary-hover': '#80ccdb',
    'primary-active': '#9bd9e5',
    'on-primary': '#04222a',
    'primary-soft': '#12333b',
    'on-primary-soft': '#a6dde8',
  },
};

/** Null for the product's colour. */
export function brandColours(colour: string | null): BrandColours {
  if (colour === null || colour === defaultBrandColours.brand) return defaultBrandColours;
  const given = oklchOf(colour);
  return {
    brand: colour,
    onBrand: contrast(colour, '#ffffff') >= minTextContrast ? '#ffffff' : '#000000',
    light: lightTones(given),
    dark: darkTones(given),
  };
}

/** In lightness by more than a tenth. */
export function isToneChanged(colours: BrandColours): boolean {
  return Math.abs(oklchOf(colours.brand).lightness - oklchOf(colours.light.primary).lightness) > 0.1;
}

function lightTones(given: Oklch): BrandTones {
  const onPrimary = '#ffffff';
  // Not so dark that hovering would be invisible.
  const start = { ...given, lightness: Math.min(Math.max(given.lightness, 0.3), 0.62) };
  const primary = search(start, -0.01, [...surfaces.light, onPrimary]);
  const soft = hexOf({ ...given, lightness: 0.94, chroma: Math.min(given.chroma, 0.02) });
  const hover = { ...primary, lightness: primary.lightness - 0.06 };
  return {
    primary: hexOf(primary),
    'primary-hover': hexOf(hover),
    'primary-active': hexOf({ ...primary, lightness: primary.lightness - 0.11 }),
    'on-primary': onPrimary,
    'primary-soft': soft,
    'on-primary-soft': hexOf(search(hover, -0.01, [soft])),
  };
}

function darkTones(given: Oklch): BrandTones {
  const chroma = Math.min(given.chroma, 0.12);
  const onPrimary = hexOf({ ...given, lightness: 0.2, chroma: Math.min(given.chroma, 0.04) });
  const start = { ...given, chroma, lightness: Math.min(Math.max(given.lightness, 0.74), 0.88) };
  const primary = search(start, 0.01, [...surfaces.dark, onPrimary]);
  const soft = hexOf({ ...given, lightness: 0.3, chroma: Math.min(given.chroma, 0.04) });
  const pale = { ...primary, lightness: Math.max(primary.lightness, 0.85), chroma: Math.min(chroma, 0.07) };
  return {
    primary: hexOf(primary),
    'primary-hover': hexOf({ ...primary, lightness: primary.lightness + 0.055 }),
    'primary-active': hexOf({ ...primary, lightness: primary.lightness + 0.1 }),
    'on-primary': onPrimary,
    'primary-soft': soft,
    'on-primary-soft': hexOf(search(pale, 0.01, [soft])),
  };
}

/** Readable on, or under, all of `others`. Ends at black or white. */
function search(start: Oklch, step: number, others: readonly string[]): Oklch {
  let tone = start;
  while (tone.lightness > 0.02 && tone.lightness < 0.98) {
    const hex = hexOf(tone);
    if (others.every((other) => contrast(hex, other) >= minTextContrast)) return tone;
    tone = { ...tone, lightness: tone.lightness + step };
  }
  return { ...tone, chroma: 0, lightness: step < 0 ? 0 : 1 };
}

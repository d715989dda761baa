// The colours of a mail that depend on the organisation: the stripe shows its own colour, buttons and links a tone of
// the same hue that can be read in light and dark (experience 3.1). Everything else is fixed in the layouts.

export interface MailColours {
  /** The organisation's colour as it is; for the stripe only. */
  stripe: string;
  /** Light: text and button on white. */
  primary: string;
  onPrimary: string;
  /** Dark: text and button on the dark surface. */
  primaryDark: string;
  onPrimaryDark: string;
}

const standard: MailColours = {
  stripe: '#0e5a6b',
  primary: '#0e5a6b',
  onPrimary: '#ffffff',
  primaryDark: '#63bbcd',
  onPrimaryDark: '#04222a',
};

/** The lightest light surface and the lightest dark one that text of these tones stands on. */
const lightSurface = '#ffffff';
const darkSurface = '#161b1e';
const minContrast = 4.5;

/** `#rrggbb`, or the standard colours for anything else. */
export function mailColours(brandColour?: string): MailColours {
  if (brandColour === undefined || !/^#[0-9a-f]{6}$/i.test(brandColour)) return standard;
  const stripe = brandColour.toLowerCase();
  const { lightness, chroma, hue } = oklchOf(stripe);
  // Steps of 0.01 from the organisation's own lightness to the first tone that can be read.
  const search = (start: number, step: number, surface: string) => {
    for (let tone = start; tone > 0 && tone < 1; tone += step) {
      const colour = hexOf({ lightness: tone, chroma, hue });
      if (contrast(colour, surface) >= minContrast) return colour;
    }
    return step < 0 ? '#1a1f23' : '#e7ebed';
  };
  return {
    stripe,
    primary: search(Math.min(lightness, 0.6), -0.01, lightSurface),
    onPrimary: '#ffffff',
    primaryDark: search(Math.max(lightness, 0.7), 0.01, darkSurface),
    onPrimaryDark: '#0f1315',
  };
}

/** WCAG 2 contrast of two `#rrggbb` colours. */
export function contrast(one: string, other: string): number {
  const [high, low] = [luminance(one), luminance(other)].toSorted((a, b) => b - a) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

interface Oklch {
  lightness: number;
  chroma: number;
  hue: number;
}

function luminance(hex: string): number {
  const [red, green, blue] = linearOf(hex);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function linearOf(hex: string): [number, number, number] {
  const channel = (at: number) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [channel(1), channel(3), channel(5)];
}

function oklchOf(hex: string): Oklch {
  const [red, green, blue] = linearOf(hex);
  const l = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
  const m = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
  const s = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
  const a = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s;
  const b = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s;
  return {
    lightness: 0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    chroma: Math.hypot(a, b),
    hue: Math.atan2(b, a),
  };
}

/** What a screen cannot show is clipped; the contrast is measured on what it shows. */
function hexOf({ lightness, chroma, hue }: Oklch): string {
  const a = chroma * Math.cos(hue);
  const b = chroma * Math.sin(hue);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const channels = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
  return `#${channels.map(encodeChannel).join('')}`;
}

function encodeChannel(linear: number): string {
  const value = linear <= 0.0031308 ? 12.92 * linear : 1.055 * linear ** (1 / 2.4) - 0.055;
  const byte = Math.round(Math.min(1, Math.max(0, value)) * 255);
  return byte.toString(16).padStart(2, '0');
}

// Colours and logos that are hard to display.
import { samplePng } from '#server/lib/png.fixture.ts';
import type { MailLogo } from '#server/mail/render.ts';

export interface SampleBrand {
  /** Null for the product's own colour. */
  colour: string | null;
  logo: { light: Picture; dark: Picture | null } | null;
}

export interface Picture {
  contentType: 'image/svg+xml' | 'image/png';
  body: Buffer;
  width: number;
  height: number;
}

const wide = svg(
  168,
  40,
  '<path fill="#1b1b3a" d="M4 36 20 4l16 32zM44 8h6l12 18V8h6v24h-6L50 14v18h-6zM78 8h20v5H84v4h12v5H84v5h14v5H78z"/><circle fill="#e4572e" cx="130" cy="20" r="16"/>',
);

/** Visible on a dark or a light background only. */
function ring(red: number, green: number, blue: number): Picture {
  const size = 128;
  const paint = (x: number, y: number): [number, number, number, number] => {
    const radius = Math.hypot(x - 63.5, y - 63.5);
    return [red, green, blue, radius < 62 && radius > 34 ? 255 : 0];
  };
  return { contentType: 'image/png', body: samplePng(size, size, paint), width: size, height: size };
}

export const sampleBrands: Record<string, SampleBrand> = {
  none: { colour: null, logo: null },
  yellow: { colour: '#ffcc00', logo: { light: wide, dark: null } },
  red: { colour: '#c8102e', logo: { light: ring(120, 10, 30), dark: ring(255, 190, 200) } },
  black: { colour: '#000000', logo: { light: ring(20, 20, 20), dark: null } },
  blue: { colour: '#1d4ed8', logo: null },
};

/** Mails show PNG only. */
export function mailLogoOf({ logo }: SampleBrand): MailLogo | null {
  const picture = (name: string, { body, width, height }: Picture) => ({ name, bytes: body, width, height });
  if (logo?.light.contentType !== 'image/png') return null;
  return {
    light: picture('logo-light', logo.light),
    dark: logo.dark === null ? null : picture('logo-dark', logo.dark),
  };
}

function svg(width: number, height: number, inside: string): Picture {
  const body = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}">${inside}</svg>`;
  return { contentType: 'image/svg+xml', body: Buffer.from(body), width, height };
}

// The headers keep an uploaded image from running scripts, sending requests or being framed.
import { encodings } from '#web/encodings.ts';
import { findLogo } from '../../actions/branding/branding.ts';
import type { LogoVariant } from '../../domain/branding.ts';
import { notFound } from '../../domain/problem.ts';
import type { HttpDeps } from '../deps.ts';
import { compressText } from '../transport/compression.ts';
import type { Router } from '../transport/router.ts';
import { brandStylesheet, logoPath, stylesheetPath } from './branding-assets.ts';

const headers = {
  vary: 'Accept-Encoding',
  'cache-control': 'public, max-age=31536000, immutable',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'",
};

export function serveBrandFiles(deps: HttpDeps, router: Router): void {
  router.api('GET', '/brand/:name', async ({ raw, params, response }) => {
    const file = brandSheet(params.name!) ?? (await logo(deps, params.name!));
    if (file === null) throw notFound('page', 'There’s nothing at this address.');
    const { body, headers: encoded } = compressText(raw, file.body, file.type === 'image/png' ? [] : encodings);
    response.writeHead(200, { ...headers, 'content-type': file.type, ...encoded });
    response.end(body);
  });
}

interface BrandFile {
  type: string;
  body: Buffer;
}

function brandSheet(name: string): BrandFile | null {
  const digits = /^colours\.([0-9a-f]{6})\./.exec(name)?.[1];
  if (digits === undefined || stylesheetPath(`#${digits}`) !== `/brand/${name}`) return null;
  return { type: 'text/css; charset=utf-8', body: Buffer.from(brandStylesheet(`#${digits}`)) };
}

async function logo(deps: HttpDeps, name: string): Promise<BrandFile | null> {
  const match = /^logo-(light|dark)\.([\w-]{16})\.(png|svg)$/.exec(name);
  if (match === null) return null;
  const [, variant, hash, ending] = match as unknown as [string, LogoVariant, string, string];
  const body = await findLogo(deps.ctx, variant, hash);
  const type = ending === 'png' ? 'image/png' : 'image/svg+xml';
  // Refuses a picture under the extension of the other format.
  const isPicture = body !== null && (body[0] === 0x89) === (ending === 'png');
  return isPicture && `/brand/${name}` === logoPath(variant, { hash, type }) ? { type, body } : null;
}

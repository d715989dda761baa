// Serves every sample with the product's security policy, and an index page.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Pages } from '#web/pages/page.ts';
import { sampleBrands } from './brands.ts';
import { brandFiles, galleryLocales, gallerySamples, type Sample, type View } from './samples.ts';

export interface Gallery {
  origin: string;
  samples: Sample[];
  close(): Promise<void>;
}

const self = "frame-ancestors 'self'";
const pagePolicy = `default-src 'none'; style-src 'self'; img-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; ${self}`;
const scriptPolicy = "; script-src 'self'; connect-src 'self'";
/** Mail programs allow no more. */
const mailPolicy = `default-src 'none'; style-src 'unsafe-inline'; img-src data:; ${self}`;
const indexPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-src 'self'; form-action 'self'";

export async function startGallery(pages: Pages, port = 0): Promise<Gallery> {
  const samples = gallerySamples(pages);
  const byPath = new Map(samples.map((sample) => [sample.path, sample]));
  const files = brandFiles();
  for (const asset of pages.assets) files.set(asset.path, asset);
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://gallery');
    const file = files.get(url.pathname);
    const sample = byPath.get(url.pathname);
    if (file !== undefined) return end(response, 200, { type: file.contentType, body: file.body });
    if (sample !== undefined) return show(response, sample, viewOf(url.searchParams));
    if (url.pathname === '/')
      return end(response, 200, { type: html, body: indexPage(samples, url.searchParams), policy: indexPolicy });
    end(response, 404, {
      type: 'text/plain',
      body: 'Not found. Forms and links of samples do not work.\n',
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    samples,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const html = 'text/html; charset=utf-8';

function show(response: ServerResponse, sample: Sample, view: View): void {
  const shown = sample.render(view);
  const policy = sample.group === 'pages' ? pagePolicy + (shown.hasScript ? scriptPolicy : '') : mailPolicy;
  end(response, shown.status, { type: html, body: shown.html, policy });
}

interface Content {
  type: string;
  body: string | Uint8Array;
  policy?: string;
}

function end(response: ServerResponse, status: number, { type, body, policy }: Content): void {
  response.writeHead(status, {
    'content-type': type,
    // Paths of files change with their content.
    'cache-control': policy === undefined ? 'max-age=3600' : 'no-store',
    ...(policy === undefined ? {} : { 'content-security-policy': policy }),
  });
  response.end(body);
}

function viewOf(query: URLSearchParams): View {
  return { locale: query.get('locale') ?? 'en', brand: query.get('brand') ?? 'none' };
}

const switches: Record<string, () => string[]> = {
  scheme: () => ['light', 'dark'],
  width: () => ['360', '768', '1280'],
  locale: () => [...galleryLocales],
  brand: () => Object.keys(sampleBrands),
};

function indexPage(samples: Sample[], query: URLSearchParams): string {
  const chosen = Object.fromEntries(
    Object.entries(switches).map(([name, values]) => {
      const value = query.get(name) ?? '';
      return [name, values().includes(value) ? value : values()[0]!];
    }),
  );
  const at = samples.find(({ path }) => path === query.get('show')) ?? samples[0]!;
  const address = (show: string, changes: Record<string, string> = {}) =>
    escaped(`/?${new URLSearchParams({ ...chosen, ...changes, show })}`);
  const controls = Object.entries(switches).map(([name, values]) => {
    const links = values().map((value) => link(address(at.path, { [name]: value }), value, chosen[name] === value));
    return `<p><b>${name}</b> ${links.join(' ')}</p>`;
  });
  const lists = ['pages', 'mails', 'blocks'].map((group) => {
    const items = samples
      .filter((sample) => sample.group === group)
      .map(({ name, path }) => `<li>${link(address(path), name, path === at.path)}</li>`);
    return `<h2>${group}</h2><ul>${items.join('')}</ul>`;
  });
  const source = escaped(`${at.path}?${new URLSearchParams({ locale: chosen.locale!, brand: chosen.brand! })}`);
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${escaped(at.name)} · gallery</title><style>${styles}
iframe{width:${chosen.width}px;color-scheme:${chosen.scheme}}</style>
<nav><h1>Gallery</h1>${lists.join('')}</nav><main><header>${controls.join('')}<p><a href="${source}">alone</a></p></header>
<iframe title="${escaped(at.name)}" src="${source}"></iframe></main></html>`;
}

const styles = `body{margin:0;display:flex;font:14px/1.5 system-ui,sans-serif;background:#d9d9d9;color:#111;height:100vh}
nav{width:20rem;flex:none;overflow:auto;padding:1rem;background:#fff}ul{padding:0;list-style:none}h1,h2{font-size:1rem}
main{flex:1;overflow:auto;padding:1rem;display:flex;flex-direction:column}header{display:flex;gap:1.5rem;flex-wrap:wrap}
header p{margin:0 0 .75rem}a{color:#0b57d0}[aria-current]{color:#111;font-weight:700;text-decoration:none}
iframe{flex:1;border:0;background:#fff;min-height:40rem}`;

function link(href: string, label: string, isCurrent: boolean): string {
  return `<a href="${href}"${isCurrent ? ' aria-current="true"' : ''}>${escaped(label)}</a>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

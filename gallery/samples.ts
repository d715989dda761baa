import { shippedLanguages } from '#language/locale.ts';
import { pseudoLocales } from '#language/pseudo.ts';
import { brandStylesheet, stylesheetPath } from '#server/http/pages/branding-assets.ts';
import type { MailFile } from '#server/mail/blocks.ts';
import { type MailKind, mailKinds } from '#server/mail/kinds/all.ts';
import { renderEmbeddable } from '#server/mail/render.ts';
import { type AnyPayload, frame, makeFiles, renderAny, replaceWords, sampleOf } from '#test/kit/mail-payloads.ts';
import { frameOf, hostileNames, samplePages } from '#test/pages/samples.ts';
import type { Page, Pages } from '#web/pages/page.ts';
import { mailLogoOf, type SampleBrand, sampleBrands } from './brands.ts';

export interface View {
  locale: string;
  brand: string;
}

export interface Sample {
  group: 'pages' | 'mails' | 'blocks';
  name: string;
  path: string;
  kind: string;
  render(view: View): { html: string; status: number; hasScript: boolean };
}

/** With the pseudo-languages: longer texts, and right to left. */
export const galleryLocales: readonly string[] = [...shippedLanguages, ...pseudoLocales];

export function brandOf({ brand }: View): SampleBrand {
  return sampleBrands[brand] ?? sampleBrands.none!;
}

export function gallerySamples(pages: Pages): Sample[] {
  const samples = [
    ...Object.entries(samplePages).map(([name, page]) => pageSample(pages, name, page)),
    ...Object.entries(mailStates()).map(([name, [kind, payload]]) => mailSample(name, kind, payload)),
    ...[false, true].map((isPrivate) => blockSample(isPrivate)),
  ];
  const paths = new Set(samples.map(({ path }) => path));
  if (paths.size !== samples.length) throw new Error('two samples of the gallery have the same address');
  return samples;
}

function pageSample(pages: Pages, name: string, page: Page): Sample {
  const render = (view: View) => {
    const { colour, logo } = brandOf(view);
    const own = frameOf(page);
    const branding = {
      brandStylesheetUrl: colour === null ? null : stylesheetPath(colour),
      logo:
        logo === null
          ? null
          : {
              url: `/brand/${view.brand}/light`,
              darkUrl: logo.dark === null ? null : `/brand/${view.brand}/dark`,
              width: logo.light.width,
              height: logo.light.height,
            },
    };
    const languageSwitch = { form: { action: '/language' }, locales: [...shippedLanguages] };
    const html = pages.renderPage(page, { ...own, locale: view.locale, languageSwitch, ...branding });
    return { html, status: pages.pageStatus(page), hasScript: pages.pageScripts(page).length > 0 };
  };
  return { group: 'pages', name, path: `/pages/${slug(name)}`, kind: page.kind, render };
}

function mailSample(name: string, kind: MailKind, payload: AnyPayload): Sample {
  const render = (view: View) => {
    const brand = brandOf(view);
    const mail = renderAny(kind, payload, {
      locale: view.locale,
      logo: mailLogoOf(brand),
      ...(brand.colour === null ? {} : { brandColour: brand.colour }),
    });
    // Mail programs find pictures as parts of the mail.
    const html = mail.pictures.reduce(
      (text, { name: picture, bytes }) =>
        text.replaceAll(`cid:${picture}`, `data:image/png;base64,${bytes.toString('base64')}`),
      mail.html,
    );
    return { html, status: 200, hasScript: false };
  };
  return { group: 'mails', name, path: `/mails/${slug(name)}`, kind, render };
}

function blockSample(isPrivate: boolean): Sample {
  const name = isPrivate ? 'block, private' : 'block';
  const render = ({ locale }: View) => {
    const block = renderEmbeddable({ ...mailKinds.message.sample, isPrivate }, { ...frame, locale }).html;
    const html = `<!doctype html><html lang="${locale}"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>${name}</title><body style="font:15px/1.4 Georgia,serif"><p>Dear Ben,</p>${block}<p>Kind regards</p></body></html>`;
    return { html, status: 200, hasScript: false };
  };
  return { group: 'blocks', name, path: `/blocks/${slug(name)}`, kind: 'block', render };
}

function mailStates(): Record<string, [MailKind, AnyPayload]> {
  const kinds = Object.keys(mailKinds) as MailKind[];
  const receipt = mailKinds.receipt.sample.downloads[0]!;
  const odd = Object.values(hostileNames).map(
    (name, index): MailFile => ({ ...makeFiles(1)[0]!, name, sizeBytes: 10 ** index }),
  );
  const endless = (field: string) =>
    /body|note/.test(field) ? 'A long word: '.concat('W'.repeat(300)) : 'Wxyz '.repeat(30);
  return {
    ...Object.fromEntries(kinds.map((kind) => [kind, [kind, sampleOf(kind)]])),
    'message, one file': ['message', { ...sampleOf('message'), files: makeFiles(1) }],
    'message, many files': ['message', { ...sampleOf('message'), files: makeFiles(50) }],
    'message, text only': ['message', { ...sampleOf('message'), files: [] }],
    'message, hostile names': ['message', { ...sampleOf('message'), files: odd }],
    'message, endless words': ['message', replaceWords(sampleOf('message'), endless)],
    'file-request, endless words': ['file-request', replaceWords(sampleOf('file-request'), endless)],
    'receipt, grouped': [
      'receipt',
      {
        ...sampleOf('receipt'),
        downloads: [
          receipt,
          { ...receipt, fileName: 'Model-and-textures.zip', at: receipt.at + 60_000 },
          { ...receipt, who: null, place: null, device: null, at: receipt.at + 120_000 },
        ],
      },
    ],
  };
}

export function brandFiles(): Map<string, { contentType: string; body: string | Uint8Array }> {
  const files = new Map<string, { contentType: string; body: string | Uint8Array }>();
  for (const [name, { colour, logo }] of Object.entries(sampleBrands)) {
    if (colour !== null) files.set(stylesheetPath(colour), { contentType: 'text/css', body: brandStylesheet(colour) });
    if (logo !== null) files.set(`/brand/${name}/light`, logo.light);
    if (logo !== null && logo.dark !== null) files.set(`/brand/${name}/dark`, logo.dark);
  }
  return files;
}

function slug(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}

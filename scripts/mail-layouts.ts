// Generates `server/mail/layouts.gen.ts` from the MJML in `web/mail`, with colours from `web/tokens.css`; Liquid stays. MJML is
// installed below `tools/mjml` only when it is needed here (docs/adr/0016-compiled-mail-layouts.md).
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { installSeparately } from './separate-packages.ts';
import { repositoryRoot } from './source-files.ts';

type Mjml = (source: string, options: object) => Promise<{ html: string; errors: { formattedMessage: string }[] }>;

const sourceFolder = join(repositoryRoot, 'web', 'mail');
/** Mark a block inside a document, because MJML compiles documents only. */
const [blockStart, blockEnd] = ['<!-- block -->', '<!-- end of block -->'];

export async function makeMailLayouts(): Promise<string> {
  const compile = await loadMjml();
  const layouts: Record<string, string> = { page: await compileMjml(compile, read('page.mjml')) };
  for (const file of readdirSync(join(sourceFolder, 'blocks')).sort()) {
    layouts[basename(file, '.mjml')] = await compileBlock(compile, read(join('blocks', file)));
  }
  const entries = Object.entries(layouts).map(([name, html]) => `  ${name}: ${quoted(html)},`);
  return [
    '// Generated from web/mail by "npm run generate". Do not edit: change the MJML and generate again.',
    '',
    '/** HTML with Liquid in it: `page` around everything, and one per block. */',
    'export const layouts = {',
    ...entries,
    '} as const;',
    '',
  ].join('\n');
}

async function loadMjml(): Promise<Mjml> {
  const loaded = createRequire(join(await installSeparately('mjml'), 'mjml'))('mjml');
  return loaded.default ?? loaded;
}

async function compileBlock(compile: Mjml, block: string): Promise<string> {
  const mark = (text: string) => `<mj-raw>${text}</mj-raw>`;
  // Liquid between components is raw output to MJML.
  const body = withoutComments(block).replace(/^(\{%.*%\})$/gm, (_, liquid: string) => mark(liquid));
  const document = `<mjml><mj-head><mj-include path="./attributes.mjml" /></mj-head><mj-body><mj-section><mj-column>
    ${mark(blockStart)}${body}${mark(blockEnd)}
    </mj-column></mj-section></mj-body></mjml>`;
  const html = await compileMjml(compile, document);
  const [start, end] = [html.indexOf(blockStart), html.indexOf(blockEnd)];
  if (start < 0 || end < start) throw new Error('the compiled block has lost its marks');
  return html.slice(start + blockStart.length, end).trim();
}

async function compileMjml(compile: Mjml, source: string): Promise<string> {
  const included = source.replace(/<mj-include path="\.\/([\w.-]+)" \/>/g, (_, file: string) =>
    withoutComments(read(file)),
  );
  // The default fonts of MJML are fetched from other hosts.
  const options = { fonts: {}, keepComments: true, validationLevel: 'skip', filePath: sourceFolder };
  const { html } = await compile(withColours(included), options);
  return squeeze(withSides(html));
}

/** `light(text)` and `dark(text)` become the value of `--color-text`. */
function withColours(source: string): string {
  const [light = '', dark = ''] = readFileSync(join(repositoryRoot, 'web', 'tokens.css'), 'utf8').split(
    '@media (prefers-color-scheme: dark)',
  );
  return source.replace(/\b(light|dark)\(([a-z-]+)\)/g, (_, scheme: string, role: string) => {
    const value = new RegExp(`--color-${role}:\\s*(#[0-9a-f]{6})\\b`).exec(scheme === 'light' ? light : dark)?.[1];
    if (value === undefined) throw new Error(`web/tokens.css has no ${scheme} colour called ${role}`);
    return value;
  });
}

/** MJML writes left and right; some languages are written from right to left. */
function withSides(html: string): string {
  return (
    html
      .replaceAll('direction:ltr', 'direction:{{ dir }}')
      .replaceAll('text-align:left', 'text-align:{{ start }}')
      .replaceAll('align="left"', 'align="{{ start }}"')
      .replaceAll('align="right"', 'align="{{ end }}"')
      // Some mail programs remove the body element, and its colours with it.
      .replace(
        ' aria-label="{{ subject }}" aria-roledescription="email" role="article"',
        ' class="page" role="article"',
      )
      .replace('<body  class="page"', '<body')
  );
}

function withoutComments(source: string): string {
  return source.replace(/<!--(?!\[if)(?!<!\[endif).*?-->\n?/gs, '');
}

/** Removes spaces between and inside of tags, most of MJML's output. */
function squeeze(html: string): string {
  return html
    .replace(/<[a-z!][^<>]*>/gi, (tag) =>
      tag
        .replace(/\s+/g, ' ')
        .replace(/ ?(\/?>)$/, '$1')
        .replace(/^(<[a-z]+) +/i, '$1 '),
    )
    .replace(/>\s+</g, '><')
    .replace(/>\s+(\{[{%])/g, '>$1')
    .replace(/([}%]\})\s+</g, '$1<')
    .replace(/\n\s*/g, '\n')
    .trim();
}

/** As a template literal, which formatters do not change. */
function quoted(text: string): string {
  return `\`${text.replace(/[`\\]|\$\{/g, '\\$&')}\``;
}

function read(file: string): string {
  return readFileSync(join(sourceFolder, file), 'utf8');
}

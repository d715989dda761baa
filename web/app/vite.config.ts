// index.html is the shell; everything else is hashed below assets/.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import type { Plugin, UserConfig } from 'vite';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Applies the dark tokens also when the user chooses dark against the system setting. */
function withChosenScheme(tokens: string): string {
  const block = /@media \(prefers-color-scheme: dark\) \{\s*:root \{([^}]*)\}\s*\}/;
  const dark = block.exec(tokens)?.[1];
  if (dark === undefined) throw new Error('web/tokens.css has no dark values where they are expected');
  const bySystem = `@media (prefers-color-scheme: dark) { :root:not([data-mantine-color-scheme="light"]) {${dark}} }`;
  return tokens.replace(block, `${bySystem}\n:root[data-mantine-color-scheme="dark"] {${dark}}`);
}

function chosenScheme(): Plugin {
  return {
    name: 'chosen-scheme',
    enforce: 'pre',
    transform(code, id) {
      return id.split('?')[0]!.endsWith('/web/tokens.css') ? withChosenScheme(code) : null;
    },
  };
}

/** First paint needs only the page (docs/adr/0055): the style sheet at the end does not block rendering. */
function firstPaint(): Plugin {
  const read = (path: string) => readFileSync(here(path), 'utf8');
  return {
    name: 'first-paint',
    transformIndexHtml: {
      order: 'post',
      handler(html) {
        const styles = small(withChosenScheme(read('../tokens.css')) + read('./first-paint.css'));
        const sheet = /\s*<link rel="stylesheet"[^>]*>/.exec(html)?.[0];
        if (sheet === undefined) throw new Error('the built page names no style sheet');
        return html
          .replace(sheet, '')
          .replace('</head>', `  <style nonce="{{nonce}}">${styles}{{brandStyles}}</style>\n  </head>`)
          .replace('</body>', `  ${sheet.trim()}\n  </body>`);
      },
    },
  };
}

function small(styles: string): string {
  return styles
    .replace(/\/\*.*?\*\//gs, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,]) ?/g, '$1')
    .replace(/: /g, ':');
}

/** Excluded from the shared file: large parts of few screens, and texts. */
const onItsOwn = /[\\/](?:@mantine[\\/]dates|ui[\\/]date-field|ui[\\/]qr-code|uqr|locales|frame-texts)(?:[\\/.]|$)/;

/** Code shared only by console screens stays out of the app's shared file. */
const inConsole = /[\\/](?:web[\\/]app|locales[\\/]\w+[\\/]app)[\\/]admin[\\/]/;

/** A test checks by these names that senders load no console files. */
function fileNameOf({ name, facadeModuleId, moduleIds }: PreRenderedChunk): string {
  const isConsole = name !== 'frame' && [facadeModuleId, ...moduleIds].some((id) => id != null && inConsole.test(id));
  return `assets/${isConsole && name !== 'console' ? 'console-' : ''}[name]-[hash].js`;
}

interface PreRenderedChunk {
  name: string;
  facadeModuleId?: string | null | undefined;
  moduleIds: string[];
}

/** Few files, because each costs a round trip on a slow connection. */
const chunks = [
  { name: 'libraries', test: /[\\/]node_modules[\\/]/, tags: ['$initial' as const], priority: 3 },
  { name: 'frame', tags: ['$initial' as const], priority: 2 },
  { name: 'shared', test: (id: string) => !onItsOwn.test(id) && !inConsole.test(id), minShareCount: 2, priority: 1 },
  // After `shared`: a chunk includes what its modules import, and both use the kit.
  { name: 'console', test: (id: string) => inConsole.test(id) && !onItsOwn.test(id), minShareCount: 2, priority: 0 },
];

const config: UserConfig = {
  root: here('.'),
  // Only the running server knows the path of the public address.
  base: './',
  publicDir: false,
  logLevel: 'warn',
  plugins: [chosenScheme(), firstPaint(), react()],
  build: {
    outDir: here('../../dist/app'),
    emptyOutDir: true,
    // web/app/load.ts reads it.
    manifest: true,
    target: ['chrome111', 'firefox115', 'safari16.4'],
    cssMinify: 'lightningcss',
    modulePreload: { polyfill: false },
    // The policy permits only our own files.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_000,
    // All styles together are smaller than most pictures.
    cssCodeSplit: false,
    rolldownOptions: {
      input: here('./index.html'),
      output: { chunkFileNames: fileNameOf, codeSplitting: { groups: chunks } },
    },
  },
};

export default config;

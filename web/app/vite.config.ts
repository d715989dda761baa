// Builds the web app into dist/app: index.html as the shell, everything else hashed below assets/.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import type { Plugin, UserConfig } from 'vite';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/**
 * Applies the dark block of web/tokens.css also when the user chooses dark against the system setting, so that no
 * colour is defined twice.
 */
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

/**
 * First paint needs only the page (docs/adr/0055): tokens and the rules of the frame are inlined, and the large style
 * sheet is linked at the end, where it blocks scripts but not rendering.
 */
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

/** Excluded from the shared file: large parts of few screens, and texts, of which only one language is loaded. */
const onItsOwn = /[\\/](?:@mantine[\\/]dates|ui[\\/]date-field|ui[\\/]qr-code|uqr|locales|frame-texts)(?:[\\/.]|$)/;

/** The console is a separate bundle: code shared only by its screens stays out of the app's shared file. */
const inConsole = /[\\/](?:web[\\/]app|locales[\\/]\w+[\\/]app)[\\/]admin[\\/]/;

/** Console files have recognisable names: a test checks that senders load none of them. */
function fileNameOf({ name, facadeModuleId, moduleIds }: PreRenderedChunk): string {
  const isConsole = name !== 'frame' && [facadeModuleId, ...moduleIds].some((id) => id != null && inConsole.test(id));
  return `assets/${isConsole && name !== 'console' ? 'console-' : ''}[name]-[hash].js`;
}

interface PreRenderedChunk {
  name: string;
  facadeModuleId?: string | null | undefined;
  moduleIds: string[];
}

/**
 * Few files, because each costs a round trip on a slow connection: one for the frame, one for libraries, one shared by
 * screens, and one per screen with its texts.
 */
const chunks = [
  { name: 'libraries', test: /[\\/]node_modules[\\/]/, tags: ['$initial' as const], priority: 3 },
  { name: 'frame', tags: ['$initial' as const], priority: 2 },
  { name: 'shared', test: (id: string) => !onItsOwn.test(id) && !inConsole.test(id), minShareCount: 2, priority: 1 },
  // After `shared`: a chunk includes what its modules import, and both use the kit.
  { name: 'console', test: (id: string) => inConsole.test(id) && !onItsOwn.test(id), minShareCount: 2, priority: 0 },
];

const config: UserConfig = {
  root: here('.'),
  // Relative, because only the running server knows the path of the public address.
  base: './',
  publicDir: false,
  logLevel: 'warn',
  plugins: [chosenScheme(), firstPaint(), react()],
  build: {
    outDir: here('../../dist/app'),
    emptyOutDir: true,
    // Lists the files of each screen for the server (web/app/load.ts).
    manifest: true,
    target: ['chrome111', 'firefox115', 'safari16.4'],
    cssMinify: 'lightningcss',
    modulePreload: { polyfill: false },
    // The policy permits only our own files, so nothing may be inlined.
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

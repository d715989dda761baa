// Builds the web app into dist/app: index.html as the shell the server fills in, everything else hashed below assets/.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import type { Plugin, UserConfig } from 'vite';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/**
 * People may choose light or dark against their system. web/tokens.css has one block of dark values, for the system's
 * wish; here the same block is made to follow the choice too, so that no colour is written twice.
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
 * The first paint waits for nothing but the page itself (docs/adr/0055): tokens and the frame's few rules are written
 * into it, and the large style sheet is named at its end, where it holds back the scripts and not what is above it.
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

/** Not for the file that screens share: large things of few screens, and sentences, which come in one language. */
const onItsOwn = /[\\/](?:@mantine[\\/]dates|ui[\\/]date-field|ui[\\/]qr-code|uqr|locales|frame-texts)(?:[\\/.]|$)/;

/** The console is a bundle of its own: what only its screens share must not come with what all screens share. */
const inConsole = /[\\/](?:web[\\/]app|locales[\\/]\w+[\\/]app)[\\/]admin[\\/]/;

/** Files of the console can be told by their names: a test makes sure that senders load none of them. */
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
 * Few files instead of many small ones: on a slow line each file costs a round trip. The frame of the app and its
 * libraries are one file each, what several screens share is a third, and a screen brings itself and its sentences.
 */
const chunks = [
  { name: 'libraries', test: /[\\/]node_modules[\\/]/, tags: ['$initial' as const], priority: 3 },
  { name: 'frame', tags: ['$initial' as const], priority: 2 },
  { name: 'shared', test: (id: string) => !onItsOwn.test(id) && !inConsole.test(id), minShareCount: 2, priority: 1 },
  // After it: a file takes along what its modules import, and the kit belongs to everybody.
  { name: 'console', test: (id: string) => inConsole.test(id) && !onItsOwn.test(id), minShareCount: 2, priority: 0 },
];

const config: UserConfig = {
  root: here('.'),
  // The public address may have a path of its own, known only to the running server: chunks find each other relatively.
  base: './',
  publicDir: false,
  logLevel: 'warn',
  plugins: [chosenScheme(), firstPaint(), react()],
  build: {
    outDir: here('../../dist/app'),
    emptyOutDir: true,
    // Which files a screen needs, so that the server can name them in the page (web/app/load.ts).
    manifest: true,
    target: ['chrome111', 'firefox115', 'safari16.4'],
    cssMinify: 'lightningcss',
    modulePreload: { polyfill: false },
    // A style or picture inside another file would break the policy, which takes nothing but our own files.
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

// Removes parts of packages that our code never reaches from built programs. Each worker keeps the text of its files in
// memory.
import type { Plugin } from 'vite';

/** The import of the package, and why it is never reached. */
export const unusedPackages: ReadonlyMap<string, string> = new Map([
  // Formatted text has no styles (server/lib/rich-text.ts).
  ['postcss', 'style attributes are removed'],
  // Pages are rendered as a whole; this is the streaming renderer.
  ['./cjs/react-dom-server.node.production.js', 'pages are not streamed'],
]);

const mark = '\0unused-packages:';

export const withoutUnused: Plugin = {
  name: 'unused-packages',
  enforce: 'pre',
  resolveId: (source) => (unusedPackages.has(source) ? `${mark}${source}.cjs` : null),
  load(id) {
    if (!id.startsWith(mark)) return null;
    const source = id.slice(mark.length, -'.cjs'.length);
    // Reading an export is allowed; a call throws the reason.
    return `function refuse() { throw new Error(${JSON.stringify(sentenceOf(source))}); }
module.exports = new Proxy(refuse, { get: (_, name) => (name === '__esModule' ? undefined : refuse) });`;
  },
};

export function sentenceOf(source: string): string {
  return `${source} is not part of the program: ${unusedPackages.get(source)}`;
}

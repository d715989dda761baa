// Parts of packages that nothing of ours reaches, but that their package loads or carries along: a built program goes
// without them. Each process keeps the text of every file it runs, so this is memory of each worker.
import type { Plugin } from 'vite';

/** By the name their package asks for, with the reason. */
export const leftOut: ReadonlyMap<string, string> = new Map([
  // Styles inside formatted text, none of which gets through (server/lib/rich-text.ts).
  ['postcss', 'no style attribute is let through'],
  // Pages are written as a whole; this is the second renderer of two.
  ['./cjs/react-dom-server.node.production.js', 'pages are not streamed'],
]);

const mark = '\0left-out:';

export const withoutUnused: Plugin = {
  name: 'left-out',
  enforce: 'pre',
  resolveId: (source) => (leftOut.has(source) ? `${mark}${source}.cjs` : null),
  load(id) {
    if (!id.startsWith(mark)) return null;
    const source = id.slice(mark.length, -'.cjs'.length);
    // What is only taken from it at the start does no harm; whoever calls it learns the reason.
    return `function refuse() { throw new Error(${JSON.stringify(sentenceOf(source))}); }
module.exports = new Proxy(refuse, { get: (_, name) => (name === '__esModule' ? undefined : refuse) });`;
  },
};

export function sentenceOf(source: string): string {
  return `${source} is not part of the program: ${leftOut.get(source)}`;
}

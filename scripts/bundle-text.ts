// How the text of what Node runs is written: names stay, for traces; blanks, comments and letters beyond ASCII go. One
// such letter makes the engine keep the whole file with two bytes for each character, in each process.
import type { Plugin } from 'vite';

export const bundleMinify = {
  compress: false,
  mangle: false,
  codegen: { removeWhitespace: true, asciiOnly: true },
} as const;

/** What the minifier leaves: licences, which name people, and tagged templates, whose text it must not change. */
export function asciiOnly(): Plugin {
  return {
    name: 'ascii-only',
    generateBundle(_, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type !== 'chunk') continue;
        file.code = file.code.replace(/\/\*![\s\S]*?\*\/|\/\/!.*/g, (licence) =>
          licence.replace(beyondAscii, escapeUnit),
        );
        const place = file.code.search(beyondAscii);
        if (place < 0) continue;
        const around = file.code.slice(Math.max(0, place - 40), place + 20);
        this.error(`${file.fileName} has a letter beyond ASCII; put it into a string of its own: ${around}`);
      }
    },
  };
}

const beyondAscii = /[^\0-\x7f]/g;

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

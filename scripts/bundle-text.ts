// Removes spaces and comments from bundles and escapes characters beyond ASCII: one such character makes the engine store the
// whole file with two bytes for each character. Names stay, for stack traces.
import type { Plugin } from 'vite';

export const bundleMinify = {
  compress: false,
  mangle: false,
  codegen: { removeWhitespace: true, asciiOnly: true },
} as const;

/** The minifier leaves licence comments and tagged templates as they are. */
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
        this.error(`${file.fileName} has a character beyond ASCII; put it into a separate string: ${around}`);
      }
    },
  };
}

const beyondAscii = /[^\0-\x7f]/g;

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

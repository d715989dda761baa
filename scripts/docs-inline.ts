// Moves inline scripts of the documentation site to files and removes style attributes, because the content security policy
// forbids both.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listFiles } from './source-files.ts';

const base = '/docs/';

export function withoutInlineParts(site: string): void {
  for (const path of listFiles(site).filter((name) => name.endsWith('.html'))) {
    const html = readFileSync(join(site, path), 'utf8')
      .replace(/<script((?:(?! src=)[^>])*)>([\s\S]*?)<\/script>/g, (_, attributes: string, code: string) => {
        const name = `assets/inline.${createHash('sha256').update(code).digest('hex').slice(0, 8)}.js`;
        writeFileSync(join(site, name), code);
        return `<script${attributes} src="${base}${name}"></script>`;
      })
      .replace(/(<[^<>]*) style="[^"]*"/g, '$1');
    writeFileSync(join(site, path), html);
  }
}

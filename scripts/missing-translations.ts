// Lists texts that exist in English but not in another shipped language. The product shows English instead; a release needs all
// of them.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { shippedLanguages } from '#language/locale.ts';
import { repositoryRoot } from './source-files.ts';

export function findMissingTranslations(locales = join(repositoryRoot, 'locales')): string[] {
  const files = readdirSync(join(locales, 'en'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.json'),
  );
  return shippedLanguages.flatMap((language) =>
    files.toSorted().flatMap((file) => {
      const translated = keysOf(join(locales, language, file));
      return keysOf(join(locales, 'en', file))
        .filter((key) => !translated.includes(key))
        .map((key) => `${language}/${file}: ${key}`);
    }),
  );
}

function keysOf(path: string): string[] {
  return existsSync(path) ? Object.keys(JSON.parse(readFileSync(path, 'utf8')) as object) : [];
}

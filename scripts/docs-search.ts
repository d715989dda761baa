// Checks the search of the built documentation site: sample questions find their page, with the index and the options that the
// site has.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { listFiles } from './source-files.ts';

interface Index {
  search(query: string, options: object): { id: string }[];
}

/** Questions by language, with the page that must be among the first results. */
export const questions: [language: string, query: string, page: string][] = [
  ['root', 'A recipient got no code', '/docs/people/send.html#a-recipient-got-no-code'],
  ['root', 'A recipient got no code', '/docs/administer/help.html#a-recipient-got-no-code'],
  ['root', 'Microsoft 365', '/docs/operate/mail.html#microsoft-365'],
  ['root', 'behind Caddy', '/docs/operate/proxies/#reverse-proxies'],
  ['de', 'Ein Empfänger bekommt keinen Code', '/docs/de/send.html#ein-empfanger-bekommt-keinen-code'],
  ['fr', 'pas reçu de code', '/docs/fr/send.html#un-destinataire-n-a-pas-recu-de-code'],
];
const shownResults = 5;

export async function checkSearch(site: string, packages: string): Promise<void> {
  const missed: string[] = [];
  for (const [language, query, page] of questions) {
    const found = (await search(site, packages, language, query)).slice(0, shownResults);
    if (!found.includes(page)) missed.push(`“${query}” finds ${found.join(', ') || 'nothing'} instead of ${page}`);
  }
  if (missed.length > 0) throw new Error(missed.join('\n'));
}

async function search(site: string, packages: string, language: string, query: string): Promise<string[]> {
  const path = listFiles(site).find((name) => name.includes(`@localSearchIndex${language}.`) && name.endsWith('.js'));
  if (path === undefined) throw new Error(`the site has no search index for ${language}`);
  const { default: text } = (await import(pathToFileURL(join(site, path)).href)) as { default: string };
  const place = pathToFileURL(join(packages, 'minisearch', 'dist', 'es', 'index.js')).href;
  const { default: MiniSearch } = (await import(place)) as {
    default: { loadJSON(json: string, options: object): Index };
  };
  // As the search box of VitePress, with the option of config.mts.
  const options = { fuzzy: 0.2, prefix: true, boost: { title: 4, text: 2, titles: 1 }, combineWith: 'AND' };
  const index = MiniSearch.loadJSON(text, { fields: ['title', 'titles', 'text'], storeFields: ['title', 'titles'] });
  return index.search(query, options).map(({ id }) => id);
}

// One term for one thing, in each language. docs/contribute/glossary.md explains the English terms.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';

const root = join(import.meta.dirname, '../locales');

/** By language: the term, and words that must not replace it. */
const terms: Record<string, readonly [term: string, others: RegExp][]> = {
  en: [
    ['select', /\bpress(?:ed)?\b/i],
    ['Export CSV', /\b(?:save|export|download) as (?:csv|json)\b/i],
    ['organisation', /\borganiz/i],
    ['e-mail', /\bemails?\b/i],
    ['file request', /\bfile (?:demand|inquiry)\b/i],
    ['legal hold', /\b(?:litigation hold|retention lock)\b/i],
    ['drop page', /\bdrop ?box\b/i],
    ['restore test', /\brestore drill\b/i],
    ['recipient', /\breceiver of the (?:e-mail|message)\b/i],
  ],
  de: [
    ['klicken, wählen', /\bdrücken Sie\b/i],
    ['CSV exportieren', /als (?:CSV|JSON) (?:speichern|exportieren)/i],
    ['Löschsperre', /Aufbewahrungspflicht/i],
    ['Dateianfrage', /Dateianforderung/i],
    ['Übertragung', /\bTransfers?\b/i],
    ['E-Mail', /\bEmails?\b/],
  ],
  es: [
    ['seleccionar', /\bpuls(?:e|ó|ar|ado)\b/i],
    ['Exportar CSV', /(?:guardar|exportar) como (?:CSV|JSON)/i],
    ['página de recepción', /páginas? de entrega/i],
    ['transferencia', /\btransfers?\b/i],
  ],
  fr: [
    ['cliquer, choisir', /\bappuyez\b/i],
    ['Exporter en CSV', /enregistrer en (?:CSV|JSON)/i],
    ['conservation légale', /obligations? de conservation/i],
    ['demande de fichiers', /requêtes? de fichiers/i],
  ],
  sv: [
    ['välja', /\btryck(?:er|te|t)? på\b/i],
    ['Exportera CSV', /(?:spara|exportera) som (?:CSV|JSON)/i],
    ['filbegäran', /filförfråg/i],
    ['överföring', /\btransfers?\b/i],
  ],
};

describe('One term for one thing', () => {
  for (const [language, list] of Object.entries(terms))
    it(`is used in all texts of ${language}`, () => {
      const found = textsOf(language).flatMap(([key, text]) =>
        list
          .filter(([, others]) => others.test(text.replace(/\{\w+/g, '')))
          .map(([term]) => `${key}: use “${term}” in “${text}”`),
      );
      assert.deepEqual(found, []);
    });
});

function textsOf(language: string): [key: string, text: string][] {
  return readdirSync(join(root, language), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.json'))
    .flatMap((file) => {
      const texts = JSON.parse(readFileSync(join(root, language, file), 'utf8')) as Record<string, string>;
      return Object.entries(texts).map(([key, text]): [string, string] => [`${file} ${key}`, text]);
    });
}

// A release requires all texts of every language; `npm run check` lists missing ones.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { IntlMessageFormat } from 'intl-messageformat';
import { shippedLanguages } from './locale.ts';
import type { MessageElement } from './pseudo.ts';

const root = join(import.meta.dirname, '../locales');

/** Not translated in any language. */
const sameEverywhere = new Set([
  'Passkey',
  'Passkeys',
  'Webhook',
  'Webhooks',
  'OpenID Connect',
  'SAML 2.0',
  'LDAP / Active Directory',
  'OpenLDAP',
  'Active Directory',
  'Scopes',
  'externalId',
  'userName',
  'Syslog',
  'Ctrl K',
  'Microsoft Graph',
  'STARTTLS',
  'STARTTLS (port 587)',
  'MB',
  'SHA-256',
  'SHA-256 {checksum}',
]);
/** Words that equal English in this language. */
const cognates: Record<string, string[]> = {
  de: [
    ...[
      '(optional)',
      'Passkey',
      'Passkeys',
      'Browser',
      'Bytes',
      'Code',
      'Computer',
      'Details',
      'Domain',
      'Download',
      'Downloads',
      'Link',
      'Link {id}',
      'Links',
    ],
    ...['Format', 'Installation', 'Name', 'Port', 'Test', 'Upload'],
    ...['Organisation', 'Person', 'Problem', 'Problem:', 'Region', 'Server', 'Status', 'System', 'Tablet', 'Text'],
  ],
  es: ['no', 'Auditor', 'Bytes', 'No', 'Error:', 'Error: {page}', '{n} bytes', '{n} bytes/s'],
  fr: [
    ...[
      'Actions',
      'Console',
      'Contacts',
      'Format',
      'Secret',
      'Services',
      'Invitation',
      'Page',
      'Maintenance',
      'Minutes',
      'Port',
      'Section',
      'Test',
      'Active',
      'Administration',
      'Cause',
      'Code',
      'E-mail',
      'Installation',
      'Latitude',
      'Longitude',
      'Menu',
      'Message',
      'Message {id}',
      'Messages',
      'Organisation',
      'Protection',
      'Sections',
      'Service',
      'Session',
      'Type',
    ],
    '{name} via {organisation}',
  ],
  sv: [
    ...['Administration', 'Id', 'Organisation', 'Person', 'Port', 'Problem', 'Program', 'Region', 'Server', 'Status'],
    ...['Format', 'System', 'Test'],
    ...['Data', 'Disk', 'Installation', 'Period', 'Session'],
    '{name} via {organisation}',
  ],
};

type Sentences = Record<string, string>;

const filesOf = (language: string) =>
  readdirSync(join(root, language), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .toSorted();
const read = (language: string, file: string) =>
  JSON.parse(readFileSync(join(root, language, file), 'utf8')) as Sentences;
const parsed = new Map<string, MessageElement[]>();
/** Cached, because each sentence is checked several times. */
function elementsOf(message: string): MessageElement[] {
  const known = parsed.get(message);
  if (known !== undefined) return known;
  const elements = new IntlMessageFormat(message, 'en', undefined, { ignoreTag: true }).getAst();
  parsed.set(message, elements);
  return elements;
}
const formsOf = new Map(
  shippedLanguages.map((language) => [language, new Intl.PluralRules(language).resolvedOptions().pluralCategories]),
);

describe('the folder locales', () => {
  it('has exactly the shipped languages', () => {
    const folders = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    assert.deepEqual(folders.map(({ name }) => name).toSorted(), shippedLanguages.toSorted());
    assert.ok(filesOf('en').includes('pages.json') && filesOf('en').includes('mail.json'));
  });

  it('has no file that English does not have', () => {
    for (const language of shippedLanguages)
      assert.deepEqual(
        filesOf(language).filter((file) => !filesOf('en').includes(file)),
        [],
        language,
      );
  });
});

for (const language of shippedLanguages) {
  for (const file of filesOf(language)) {
    describe(`${language}/${file}`, () => {
      const english = read('en', file);
      const sentences = read(language, file);

      it('has keys of English only, in their order', () => {
        assert.deepEqual(
          Object.keys(sentences),
          Object.keys(english).filter((key) => key in sentences),
        );
      });

      it('parses, uses the values of English, and has every plural form of the language', () => {
        const found = Object.entries(sentences).flatMap(([key, message]) =>
          troubles(language, message, english[key] ?? '').map((trouble) => `${key}: ${trouble}`),
        );
        assert.deepEqual(found, []);
      });

      it('has no quoting, no markup, no extra spaces and no straight quotation marks', () => {
        for (const [key, message] of Object.entries(sentences)) {
          assert.doesNotMatch(message, /'[{}#']|[<>|"]/, key);
          assert.doesNotMatch(message, /^\s|\s$| {2}/, key);
          assert.doesNotMatch(message, /'/, key);
        }
      });

      it('uses “de” after a number only in the form for millions', () => {
        const wrong = Object.entries(sentences).filter(([, message]) => formsWithDe(elementsOf(message)).length > 0);
        assert.deepEqual(wrong, []);
      });

      it('has no-break spaces before French punctuation', () => {
        if (language !== 'fr') return;
        for (const [key, message] of Object.entries(sentences)) assert.doesNotMatch(message, /« | [»:;?!]/, key);
      });

      it('is translated', () => {
        if (language === 'en') return;
        const allowed = new Set([...sameEverywhere, ...(cognates[language] ?? [])]);
        const same = Object.entries(sentences).filter(
          ([key, message]) => message === english[key] && hasWords(message) && !allowed.has(message),
        );
        assert.deepEqual(same, []);
      });
    });
  }
}

describe('the checks of catalogues', () => {
  it('find a missing or unknown value, a missing plural form, and broken syntax', () => {
    assert.equal(troubles('de', 'ohne', 'with {name}').length, 1);
    assert.equal(troubles('de', 'mit {nmae}', 'with {name}').length, 2);
    assert.equal(troubles('de', '{n, plural, other {#}}', '{n, plural, one {#} other {#}}').length, 1);
    assert.equal(troubles('fr', '{n, plural, one {#} other {#}}', '{n, plural, one {#} other {#}}').length, 1);
    assert.equal(troubles('de', '{n}', '{n, plural, one {#} other {#}}').length, 2);
    assert.equal(troubles('de', 'kaputt {', 'broken').length, 1);
    assert.deepEqual(troubles('de', '{n, plural, one {#} other {#}}', '{n, plural, one {#} other {#}}'), []);
  });
});

function troubles(language: string, message: string, english: string): string[] {
  try {
    const requested = valuesOf(elementsOf(english));
    const given = valuesOf(elementsOf(message));
    return [
      ...[...requested].filter((value) => !given.has(value)).map((value) => `lacks ${value}`),
      ...[...given].filter((value) => !requested.has(value)).map((value) => `has ${value}, which English lacks`),
      ...missingForms(language, elementsOf(message)),
    ];
  } catch (error) {
    return [String(error)];
  }
}

/** A counted value is marked, because it must be a number in both languages. */
function valuesOf(elements: MessageElement[]): Set<string> {
  return new Set(
    elements.flatMap((element) => {
      if (element.type === 6)
        return [element.value, ...Object.values(element.options).flatMap(({ value }) => [...valuesOf(value)])].map(
          (name, index) => (index === 0 ? `${name}, counted` : name),
        );
      return element.type === 0 || element.type === 7 ? [] : ['value' in element ? String(element.value) : ''];
    }),
  );
}

function missingForms(language: string, elements: MessageElement[]): string[] {
  const forms = formsOf.get(language)!;
  return elements.flatMap((element) => {
    if (element.type !== 6) return [];
    return [
      ...forms.filter((form) => !(form in element.options)).map((form) => `lacks the form ${form} of ${element.value}`),
      ...Object.values(element.options).flatMap(({ value }) => missingForms(language, value)),
    ];
  });
}

/** French and Spanish say “1 000 000 de personnes”, but “3 personnes”. */
function formsWithDe(elements: MessageElement[]): string[] {
  return elements.flatMap((element) => {
    if (element.type !== 6) return [];
    return Object.entries(element.options).flatMap(([form, { value }]) => [
      ...(form !== 'many' && value.some(isFollowedByDe(value)) ? [form] : []),
      ...formsWithDe(value),
    ]);
  });
}

function isFollowedByDe(elements: MessageElement[]) {
  return (element: MessageElement, index: number) => {
    const next = elements[index + 1];
    return element.type === 7 && next?.type === 0 && /^ (de |d’)(?!plus|chaque|cada)/.test(next.value);
  };
}

/** Whether there is text to translate besides values and signs. */
function hasWords(message: string): boolean {
  return elementsOf(message).some(
    (element) => element.type === 6 || (element.type === 0 && /\p{L}{2}/u.test(element.value)),
  );
}

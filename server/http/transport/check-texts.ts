// Findings of checks in the reader's language, by code.
import type { IncomingMessage } from 'node:http';
import type { CheckBody } from '#contract/admin/checks.ts';
import { createCatalogue } from '#language/catalogue.ts';
import german from '../../../locales/de/checks.json' with { type: 'json' };
import english from '../../../locales/en/checks.json' with { type: 'json' };
import spanish from '../../../locales/es/checks.json' with { type: 'json' };
import french from '../../../locales/fr/checks.json' with { type: 'json' };
import swedish from '../../../locales/sv/checks.json' with { type: 'json' };
import type { Check, CheckCode } from '../../domain/checks.ts';
import type { HttpDeps } from '../deps.ts';
import { readerOf } from './languages.ts';

type Key = keyof typeof english;
const texts = createCatalogue<Key>(english, { de: german, es: spanish, fr: french, sv: swedish });

export function describeChecks(deps: HttpDeps, raw: IncomingMessage, checks: readonly Check[]): CheckBody[] {
  const { locale } = readerOf(deps, raw);
  return checks.map((check) => describeCheck(check, locale));
}

export function describeCheck(check: Check, locale: string): CheckBody {
  // Does not compile when a code has no sentence.
  const key: Key & CheckCode = check.code;
  const cure = `${key}.cure`;
  const { record } = check;
  return {
    check: check.check,
    state: check.state,
    code: check.code,
    sentence: texts.text(locale, key, check.values),
    cure: texts.has(cure) ? texts.text(locale, cure, check.values) : null,
    said: check.said ?? '',
    record: record === undefined ? null : { name: record.name, type: record.type, value: record.value },
  };
}

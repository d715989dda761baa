// Translates refusals by code (docs/adr/0052). Programs get the English sentence of the source.
import { createCatalogue, type TextValues } from '#language/catalogue.ts';
import { waitIn } from '#language/durations.ts';
import { languageOf, regional } from '#language/locale.ts';
import { isPseudo } from '#language/pseudo.ts';
import { sizeIn } from '#language/sizes.ts';
import german from '../../../locales/de/refusals.json' with { type: 'json' };
import english from '../../../locales/en/refusals.json' with { type: 'json' };
import spanish from '../../../locales/es/refusals.json' with { type: 'json' };
import french from '../../../locales/fr/refusals.json' with { type: 'json' };
import swedish from '../../../locales/sv/refusals.json' with { type: 'json' };
import type { Problem, ProblemValue } from '../../domain/problem.ts';

const texts = createCatalogue<keyof typeof english>(english, { de: german, es: spanish, fr: french, sv: swedish });

export interface Reader {
  locale: string;
  /** The installation's, for instants. */
  timeZone: string;
}

export function refusalText(problem: Problem, reader: Reader): string {
  return translatedRefusal(problem, reader) ?? problem.message;
}

export function translatedRefusal(problem: Problem, reader: Reader): string | null {
  const { locale } = reader;
  const isEnglish = languageOf(locale) === 'en' && !isPseudo(locale);
  if (isEnglish || !texts.has(problem.code)) return null;
  try {
    return texts.text(locale, problem.code, valuesOf(problem, reader));
  } catch {
    // The refusal lacks a value: English is better than none.
    return null;
  }
}

function valuesOf(problem: Problem, reader: Reader): TextValues {
  const values = Object.entries(problem.values).map(([name, value]) => [name, written(value, reader)] as const);
  const { field, retryAfterSeconds } = problem;
  return {
    field: field ?? '',
    ...(retryAfterSeconds === undefined ? {} : { wait: waitIn(reader.locale, retryAfterSeconds) }),
    ...Object.fromEntries(values),
  };
}

function written(value: ProblemValue, { locale, timeZone }: Reader): string | number {
  if (typeof value !== 'object') return value;
  if ('bytes' in value) return sizeIn(locale, value.bytes);
  const tag = regional(locale);
  if ('anyOf' in value) return new Intl.ListFormat(tag, { type: 'disjunction' }).format(value.anyOf);
  if ('instant' in value)
    return new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeStyle: 'short', timeZone }).format(value.instant);
  const style = { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' } as const;
  return new Intl.DateTimeFormat(tag, style).format(new Date(`${value.date}T00:00:00Z`));
}

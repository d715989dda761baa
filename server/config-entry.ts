// How a setting is declared.
import { createSecret, type Secret } from './lib/secret.ts';

/** One setting. `read` returns the value or throws a RangeError whose message completes "NAME …". */
export interface ConfigEntry<Value> {
  name: string;
  meaning: string;
  /** As shown in the documentation. */
  defaultText: string;
  default: Value;
  read(text: string): Value;
  isSecret?: boolean;
  /** NAME_FILE may name a file with the value, as container platforms provide secrets. */
  hasFileTwin?: boolean;
}

interface Reading<Value> {
  default: Value;
  read: (text: string) => Value;
  /** By default the default itself. */
  defaultText?: string | undefined;
}

export function entry<Value>(name: string, meaning: string, reading: Reading<Value>): ConfigEntry<Value> {
  const { default: fallback, read, defaultText } = reading;
  const shown = fallback === null || fallback === undefined ? '–' : String(fallback);
  return { name, meaning, default: fallback, read, defaultText: defaultText ?? shown };
}

export function text(name: string, meaning: string, defaultText?: string): ConfigEntry<string | null> {
  return entry<string | null>(name, meaning, { default: null, read: (value) => value, defaultText });
}

export function secret(name: string, meaning: string, defaultText?: string): ConfigEntry<Secret | null> {
  return {
    ...entry<Secret | null>(name, meaning, {
      default: null,
      read: (value) => createSecret(value),
      defaultText,
    }),
    isSecret: true,
    hasFileTwin: true,
  };
}

export function oneOf<const Choice extends string>(
  name: string,
  meaning: string,
  choices: readonly Choice[],
  fallback: Choice,
) {
  return entry<Choice>(name, meaning, {
    default: fallback,
    read: (value) => {
      const found = choices.find((choice) => choice === value);
      if (found === undefined) throw new RangeError(`must be one of ${choices.join(', ')}`);
      return found;
    },
  });
}

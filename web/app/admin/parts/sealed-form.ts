// A form over saved values and sealed secrets. The server never returns a secret: an empty field keeps the saved one.
import { useState } from 'react';
import { ClientProblem } from '#contract/client.ts';
import { useText } from '../../texts.ts';
import { problemAt } from '../../ui/states.tsx';

interface Options<Values> {
  /** With an empty string for each secret. */
  saved: Values;
  /** Names of the secrets that the server has. */
  secrets?: readonly string[];
  /** Fields that the environment sets, with the variable. */
  fixed?: Readonly<Record<string, string>>;
  error: unknown;
}

export interface SealedForm<Values> {
  values: Values;
  set(changes: Partial<Values>): void;
  /** Properties of a TextField or TextArea. */
  field(name: keyof Values & string): FieldWiring;
  /** Properties of a PasswordField or TextArea. */
  secret(name: keyof Values & string): FieldWiring;
  /** The values without empty texts, so that saved secrets stay. */
  filled(): Partial<Values>;
  /** A refusal that no field shows. */
  otherError: unknown;
}

interface FieldWiring {
  value: string;
  onChange: (value: string) => void;
  problem: string | null;
  readOnly: boolean;
  help?: string;
  spellCheck: false;
  autoComplete: 'off';
}

export function useSealedForm<Values extends object>(options: Options<Values>): SealedForm<Values> {
  const { saved, secrets = [], fixed = {}, error } = options;
  const text = useText('admin/console');
  const [values, setValues] = useState(saved);
  const set = (changes: Partial<Values>) => setValues((current) => ({ ...current, ...changes }));
  const field = (name: keyof Values & string): FieldWiring => ({
    value: String(values[name] ?? ''),
    onChange: (value) => set({ [name]: value } as Partial<Values>),
    problem: problemAt(error, name),
    readOnly: fixed[name] !== undefined,
    ...(fixed[name] === undefined ? {} : { help: text('fixedBy', { variable: fixed[name] }) }),
    spellCheck: false,
    autoComplete: 'off',
  });
  return {
    values,
    set,
    field,
    secret: (name) => ({ ...field(name), ...(secrets.includes(name) ? { help: text('secretKept') } : {}) }),
    filled: () =>
      Object.fromEntries(Object.entries(values).filter(([, value]) => value !== '')) as unknown as Partial<Values>,
    otherError: error instanceof ClientProblem && error.field !== null && error.field in values ? null : error,
  };
}

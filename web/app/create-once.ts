// Stores the idempotency key until the response arrives, so that a click after a lost response or a reload repeats the
// same request.

import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import type { Topic } from '#contract/app/live.ts';
import { type CallAnswer, type CallInput, ClientProblem } from '#contract/client.ts';
import { call } from './api.ts';

import { readStored, writeStored } from './storage.ts';

type Creation = 'createFileLink' | 'createFileRequest' | 'sendMessage';

/** The server remembers a key for as long. */
const lifetimeMs = 24 * 3_600_000;
const slot = 'creating';

type Keys = Record<string, { key: string; madeAt: number }>;

/** Used without storage; lasts until the reload. */
const inMemory: Keys = {};

export async function createOnce<Name extends Creation>(
  personId: string,
  name: Name,
  input: CallInput<Name>,
): Promise<CallAnswer<Name>> {
  const request = await fingerprintOf(name, input);
  const keys = keysOf(personId);
  const { key, madeAt } = inMemory[request] ?? keys[request] ?? { key: crypto.randomUUID(), madeAt: Date.now() };
  inMemory[request] = { key, madeAt };
  writeStored(personId, slot, { ...keys, [request]: { key, madeAt } });
  try {
    const answer = await call(name, { ...input, headers: { 'idempotency-key': key } });
    forget(personId, request);
    return answer;
  } catch (problem) {
    if (isRefusal(problem)) forget(personId, request);
    throw problem;
  }
}

/** A refusal created nothing; any other error may have. */
function isRefusal(problem: unknown): boolean {
  return problem instanceof ClientProblem && problem.status >= 400 && problem.status < 500;
}

function keysOf(personId: string): Keys {
  const stored = readStored<Keys>(personId, slot)?.value ?? {};
  return Object.fromEntries(Object.entries(stored).filter(([, { madeAt }]) => Date.now() - madeAt < lifetimeMs));
}

function forget(personId: string, request: string): void {
  delete inMemory[request];
  const { [request]: _, ...others } = keysOf(personId);
  writeStored(personId, slot, Object.keys(others).length === 0 ? null : others);
}

/** A digest, because a body may contain a password. */
async function fingerprintOf(name: string, input: unknown): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify([name, input]));
  return Array.from(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}

export interface CreatingEach<Created> {
  created: Created[];
  isBusy: boolean;
  error: unknown;
  /** Returns everything created so far, or null after a refusal. */
  createEach<Input>(inputs: readonly Input[], create: (input: Input) => Promise<Created>): Promise<Created[] | null>;
  forget(): void;
}

export function useCreateEach<Created>(topics: readonly Topic[]): CreatingEach<Created> {
  const known = useQueryClient();
  const [created, setCreated] = useState<Created[]>([]);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const createEach = useCallback(
    async <Input>(inputs: readonly Input[], create: (input: Input) => Promise<Created>) => {
      setBusy(true);
      setError(null);
      const all = [...created];
      try {
        for (const input of inputs) {
          all.push(await create(input));
          setCreated([...all]);
        }
        return all;
      } catch (problem) {
        setError(problem);
        return null;
      } finally {
        setBusy(false);
        for (const topic of topics) void known.invalidateQueries({ queryKey: [topic] });
      }
    },
    [created, known, topics],
  );
  const forgetAll = () => {
    setCreated([]);
    setError(null);
  };
  return { created, isBusy, error, createEach, forget: forgetAll };
}

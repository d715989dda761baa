// Sends the lines in batches. People added before a stop stay.
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { ImportOutcomeBody } from '#contract/admin/user-actions.ts';
import { call } from '../../../api.ts';
import type { PersonLine } from './csv.ts';

const portion = 25;

export interface ImportRun {
  state: 'idle' | 'running' | 'stopped' | 'done' | 'failed';
  isDryRun: boolean;
  done: number;
  total: number;
  outcomes: ImportOutcomeBody[];
  error: unknown;
}

const idle: ImportRun = { state: 'idle', isDryRun: true, done: 0, total: 0, outcomes: [], error: null };

export interface ImportOptions {
  group: string;
  isInvited: boolean;
  isDryRun: boolean;
}

export function useImportRun() {
  const known = useQueryClient();
  const [run, setRun] = useState(idle);
  const isStopped = useRef(false);
  const start = async (lines: readonly PersonLine[], { group, isInvited, isDryRun }: ImportOptions) => {
    isStopped.current = false;
    const outcomes: ImportOutcomeBody[] = [];
    const report = (state: ImportRun['state'], error: unknown = null) =>
      setRun({ state, isDryRun, done: outcomes.length, total: lines.length, outcomes: [...outcomes], error });
    report('running');
    try {
      for (let from = 0; from < lines.length && !isStopped.current; from += portion) {
        const people = lines.slice(from, from + portion).map(({ name, group: named, ...line }) => ({
          ...line,
          ...(name === '' ? {} : { name }),
          ...(named === '' ? {} : { group: named }),
        }));
        const body = { import: { people, group, invite: isInvited, dry_run: isDryRun } };
        outcomes.push(...(await call('importPeople', { body })).import.outcomes);
        report('running');
      }
      report(isStopped.current ? 'stopped' : 'done');
    } catch (error) {
      report('failed', error);
    }
    if (!isDryRun) await known.invalidateQueries({ queryKey: ['admin'] });
  };
  return {
    run,
    start,
    stop: () => {
      isStopped.current = true;
    },
    clear: () => setRun(idle),
  };
}

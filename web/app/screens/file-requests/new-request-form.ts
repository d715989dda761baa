// What a new file request is made from, and the making: each person asked gets a request of their own. Draws nothing.
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';
import { call } from '../../api.ts';
import { addDays } from '../../dates.ts';
import { useMe } from '../../me.ts';
import { draftLifetimeMs, keep, readKept } from '../../storage.ts';
import { useText } from '../../texts.ts';
import { announce } from '../../ui/announcer.tsx';
import type { Mistake } from '../../ui/error-summary.tsx';
import { isAddress, type Recipient } from '../../ui/recipients.ts';

export interface RequestDraft {
  people: Recipient[];
  subject: string;
  message: string;
  until: string;
  isReusable: boolean;
  hasCopy: boolean;
}

export interface MadeRequest {
  id: string;
  person: string;
  url: string;
  until: string;
}

export interface NewRequestForm {
  draft: RequestDraft;
  set(change: Partial<RequestDraft>): void;
  /** What an earlier visit left; null when there is nothing, or it was decided about. */
  kept: { keptAt: number } | null;
  takeUp(): void;
  discard(): void;
  mistakes: Mistake[];
  /** Which of the two buttons is at work. */
  busy: 'mail' | 'link' | null;
  error: unknown;
  made: MadeRequest[];
  /** The requests were made without mail: their links are shown. */
  isLink: boolean;
  holdsWork: boolean;
  /** Calls `onSent` with the people when the mails are on their way. */
  press(how: 'mail' | 'link', onSent: (people: string[]) => void): void;
  startOver(): void;
}

const draftName = 'draft:request';
export const peopleFieldId = 'request-people';

export function useNewRequest(): NewRequestForm {
  const text = useText('file-requests');
  const me = useMe();
  const first = (): RequestDraft => ({
    people: [],
    subject: '',
    message: text('messageDefault', { name: me.name }),
    until: addDays(me.today, me.policy.file_request_expiration),
    isReusable: me.policy.file_request_multiuse,
    hasCopy: false,
  });
  const [draft, setDraft] = useState(first);
  const [kept, setKept] = useState(() => readKept<RequestDraft>(me.id, draftName, draftLifetimeMs));
  const [mistakes, setMistakes] = useState<Mistake[]>([]);
  const making = useMaking();
  const isTouched = draft.people.length > 0 || draft.subject !== '' || draft.message !== first().message;

  const change = (next: RequestDraft) => {
    setDraft(next);
    setKept(null);
    keep(me.id, draftName, next);
  };
  const startOver = () => {
    keep(me.id, draftName, null);
    setKept(null);
    setDraft(first());
    setMistakes([]);
    making.forget();
  };
  return {
    draft,
    set: (more) => change({ ...draft, ...more }),
    kept,
    takeUp() {
      if (kept !== null) setDraft({ ...first(), ...kept.value, until: laterOf(kept.value.until, me.today) });
      setKept(null);
    },
    discard() {
      keep(me.id, draftName, null);
      setKept(null);
    },
    mistakes,
    ...making,
    holdsWork: isTouched && making.made.length === 0,
    press(how, onSent) {
      const found = mistakesOf(draft.people, text('fromEmpty'), text('fromBad'));
      setMistakes(found);
      if (found.length > 0) return;
      void making.make(draft, how).then((people) => {
        if (people === null) return;
        keep(me.id, draftName, null);
        if (how === 'mail') onSent(people);
      });
    },
    startOver,
  };
}

function laterOf(one: string, other: string): string {
  return one > other ? one : other;
}

function mistakesOf(people: readonly Recipient[], none: string, bad: string): Mistake[] {
  const isBad = people.some(({ address }) => !isAddress(address));
  if (people.length > 0 && !isBad) return [];
  return [{ fieldId: peopleFieldId, sentence: people.length === 0 ? none : bad }];
}

function useMaking() {
  const text = useText('file-requests');
  const { policy } = useMe();
  const known = useQueryClient();
  const [made, setMade] = useState<MadeRequest[]>([]);
  const [isLink, setLink] = useState(false);
  const [busy, setBusy] = useState<'mail' | 'link' | null>(null);
  const [error, setError] = useState<unknown>(null);
  // A press after a lost answer must not ask twice.
  const keys = useRef(new Map<string, string>());

  const create = useCallback(
    async (draft: RequestDraft, person: string, sendsMail: boolean): Promise<MadeRequest> => {
      const request = {
        recipient: person,
        subject: draft.subject,
        message: draft.message,
        expires_at: draft.until,
        send_email: sendsMail,
        bcc_myself: sendsMail && draft.hasCopy,
        ...(policy.file_request_multiuse_can_change ? { multiuse: draft.isReusable } : {}),
      };
      const wanted = JSON.stringify(request);
      const key = keys.current.get(wanted) ?? crypto.randomUUID();
      keys.current.set(wanted, key);
      const answer = await call('createFileRequest', { body: { request }, headers: { 'idempotency-key': key } });
      const { id, url, expires_at } = answer.request;
      return { id, person, url, until: expires_at };
    },
    [policy],
  );

  /** The people asked, or null when something was refused; those asked before that stay asked. */
  const make = async (draft: RequestDraft, how: 'mail' | 'link'): Promise<string[] | null> => {
    setBusy(how);
    setError(null);
    const requests = [...made];
    const isAsked = (person: string) => requests.some((request) => request.person === person);
    try {
      for (const { address } of draft.people.filter((person) => !isAsked(person.address))) {
        requests.push(await create(draft, address, how === 'mail'));
      }
      keys.current.clear();
      setLink(how === 'link');
      setMade(requests);
      announce(text(how === 'mail' ? 'sentSaid' : 'linkSaid', { n: requests.length }));
      return requests.map(({ person }) => person);
    } catch (problem) {
      setMade(requests);
      setError(problem);
      return null;
    } finally {
      setBusy(null);
      void known.invalidateQueries({ queryKey: ['requests'] });
    }
  };
  const forget = () => {
    setMade([]);
    setLink(false);
    setError(null);
  };
  return { made, isLink, busy, error, make, forget };
}

// One request per person.
import { useState } from 'react';
import { createOnce, useCreateEach } from '../../create-once.ts';
import { addDays, laterOf } from '../../dates.ts';
import { type Me, useMe } from '../../me.ts';
import { draftLifetimeMs, readStored, writeStored } from '../../storage.ts';
import { useText } from '../../texts.ts';
import { announce } from '../../ui/announcer.tsx';
import { invalidFieldsIn, type Mistake } from '../../ui/error-summary.tsx';
import { isAddress, type Recipient } from '../../ui/recipients.ts';

export interface RequestDraft {
  people: Recipient[];
  subject: string;
  message: string;
  until: string;
  isReusable: boolean;
  hasCopy: boolean;
}

export interface CreatedRequest {
  id: string;
  person: string;
  /** '' when unknown. */
  name: string;
  url: string;
  until: string;
}

export interface NewRequestForm {
  draft: RequestDraft;
  set(change: Partial<RequestDraft>): void;
  /** A draft of an earlier visit, until the user decides. */
  stored: { keptAt: number } | null;
  restore(): void;
  discard(): void;
  mistakes: Mistake[];
  busy: 'mail' | 'link' | null;
  error: unknown;
  created: CreatedRequest[];
  /** Created without mail: the links are shown. */
  isLink: boolean;
  hasInput: boolean;
  /** Calls `onSent` when the mails are queued. */
  submit(how: 'mail' | 'link', onSent: (people: string[]) => void): void;
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
  const [stored, setStored] = useState(() => readStored<RequestDraft>(me.id, draftName, draftLifetimeMs));
  const [mistakes, setMistakes] = useState<Mistake[]>([]);
  const creation = useCreation();
  const isTouched = draft.people.length > 0 || draft.subject !== '' || draft.message !== first().message;

  const change = (next: RequestDraft) => {
    setDraft(next);
    setStored(null);
    writeStored(me.id, draftName, next);
  };
  const startOver = () => {
    writeStored(me.id, draftName, null);
    setStored(null);
    setDraft(first());
    setMistakes([]);
    creation.startOver();
  };
  return {
    draft,
    set: (more) => change({ ...draft, ...more }),
    stored,
    restore() {
      if (stored !== null) setDraft({ ...first(), ...stored.value, until: laterOf(stored.value.until, me.today) });
      setStored(null);
    },
    discard() {
      writeStored(me.id, draftName, null);
      setStored(null);
    },
    mistakes,
    ...creation,
    hasInput: isTouched && creation.created.length === 0,
    submit(how, onSent) {
      const found = [...mistakesOf(draft.people, text('fromEmpty'), text('fromBad')), ...invalidFieldsIn(document)];
      setMistakes(found);
      if (found.length > 0) return;
      void creation.create(draft, how).then((people) => {
        if (people === null) return;
        writeStored(me.id, draftName, null);
        if (how === 'mail') onSent(people);
      });
    },
    startOver,
  };
}

function mistakesOf(people: readonly Recipient[], none: string, bad: string): Mistake[] {
  const isBad = people.some(({ address }) => !isAddress(address));
  if (people.length > 0 && !isBad) return [];
  return [{ fieldId: peopleFieldId, sentence: people.length === 0 ? none : bad }];
}

const topics = ['requests'] as const;

function useCreation() {
  const text = useText('file-requests');
  const me = useMe();
  const { created, isBusy, error, createEach, forget } = useCreateEach<CreatedRequest>(topics);
  const [how, setHow] = useState<'mail' | 'link' | null>(null);
  const [isLink, setLink] = useState(false);

  /** Returns the names of the people asked, or null after a refusal. */
  const create = async (draft: RequestDraft, chosen: 'mail' | 'link'): Promise<string[] | null> => {
    setHow(chosen);
    const isCreated = (person: Recipient) => created.some((request) => request.person === person.address);
    const all = await createEach(
      draft.people.filter((person) => !isCreated(person)),
      async ({ address: person, name }) => {
        const names = name === '' ? {} : { names: [{ address: person, name }] };
        const body = { request: { ...requestBody(draft, person, chosen === 'mail', me), ...names } };
        const { request } = await createOnce(me.id, 'createFileRequest', { body });
        return { id: request.id, person, name, url: request.url, until: request.expires_at };
      },
    );
    if (all === null) return null;
    setLink(chosen === 'link');
    announce(text(chosen === 'mail' ? 'sentSaid' : 'linkSaid', { n: all.length }));
    return all.map(({ person, name }) => name || person);
  };
  const startOver = () => {
    forget();
    setLink(false);
  };
  return { created, isLink, busy: isBusy ? how : null, error, create, startOver };
}

function requestBody(draft: RequestDraft, recipient: string, sendsMail: boolean, { policy }: Me) {
  return {
    recipient,
    subject: draft.subject,
    message: draft.message,
    expires_at: draft.until,
    send_email: sendsMail,
    bcc_myself: sendsMail && draft.hasCopy,
    ...(policy.file_request_multiuse_can_change ? { multiuse: draft.isReusable } : {}),
  };
}

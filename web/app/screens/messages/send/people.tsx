// To, Cc, Bcc and From, with suggestions, refusals and corrections.

import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { call, useApi } from '../../../api.ts';
import { useMe } from '../../../me.ts';
import { useText } from '../../../texts.ts';
import { announce, warn } from '../../../ui/announcer.tsx';
import { Button } from '../../../ui/button.tsx';
import { Select } from '../../../ui/choice.tsx';
import { isAddress, type Recipient } from '../../../ui/recipients.ts';
import { RecipientsInput } from '../../../ui/recipients-input.tsx';
import { Notice } from '../../../ui/states.tsx';
import { domainOf, typoOf } from './address-typos.ts';
import { type Draft, peopleOf } from './draft.ts';
import { sendFields } from './mistakes.ts';
import { changeDraft } from './outgoing.ts';

type Role = 'to' | 'cc' | 'bcc';
export type RefusalOf = (address: string) => string | null;

interface Props {
  draft: Draft;
  refusalOf: RefusalOf;
  problem: string | null;
  isOptional: boolean;
}

export function SendPeople({ draft, refusalOf, problem, isOptional }: Props) {
  const text = useText('send');
  const { addresses } = useMe();
  const [showsCopies, setShowsCopies] = useState(false);
  const hasCopies = showsCopies || draft.cc.length > 0 || draft.bcc.length > 0;
  const button = (
    <Button variant="quiet" size="small" onClick={() => setShowsCopies(true)}>
      {text('showCopies')}
    </Button>
  );
  const field = (role: Role, more: { help?: string; action?: ReactNode; problem?: string | null } = {}) => (
    <RoleField key={role} role={role} draft={draft} refusalOf={refusalOf} isOptional={isOptional} {...more} />
  );
  return (
    <>
      {field('to', { problem, ...(hasCopies ? {} : { action: button }) })}
      {hasCopies ? [field('cc'), field('bcc', { help: text('bccHelp') })] : null}
      <Typos draft={draft} refusalOf={refusalOf} />
      {addresses.senders.length > 1 ? (
        <Select
          label={text('from')}
          choices={addresses.senders.map((address) => ({ value: address, label: address }))}
          value={draft.sender}
          onChange={(sender) => changeDraft({ sender })}
        />
      ) : null}
    </>
  );
}

interface RoleProps extends Pick<Props, 'draft' | 'refusalOf' | 'isOptional'> {
  role: Role;
  help?: string;
  action?: ReactNode | undefined;
  problem?: string | null;
}

function RoleField({ role, draft, refusalOf, isOptional, help, action, problem }: RoleProps) {
  const text = useText('send');
  const [typed, setTyped] = useState('');
  const q = useLater(typed.trim(), 120);
  const { data } = useApi('listContacts', { query: { q, limit: '6' } }, { isEnabled: q !== '', keepsLast: true });
  const present = new Set(peopleOf(draft).map(({ address }) => address.toLowerCase()));
  const suggestions = q === '' ? [] : (data?.people ?? []).filter(({ address }) => !present.has(address));
  return (
    <RecipientsInput
      id={role === 'to' ? sendFields.people : `send-${role}`}
      label={text(role)}
      value={draft[role]}
      onChange={(people) => changeDraft({ [role]: people })}
      refusalOf={refusalOf}
      suggestions={suggestions}
      onType={setTyped}
      help={help}
      action={action}
      problem={problem}
      isOptional={isOptional && role === 'to'}
    />
  );
}

/** `harbour.exmaple → harbour.example?` */
function Typos({ draft, refusalOf }: { draft: Draft; refusalOf: RefusalOf }) {
  const text = useText('send');
  const me = useMe();
  const { data } = useApi('listContacts', { query: { limit: '20' } });
  const known = useMemo(() => {
    const addresses = [...(data?.people ?? []).map(({ address }) => address), ...me.addresses.recipients];
    return [...addresses.map(domainOf), ...me.policy.message_recipient_domains];
  }, [data, me]);
  const typos = peopleOf(draft).flatMap((person) => {
    const meant = isAddress(person.address) ? typoOf(person.address, known) : null;
    return meant === null || refusalOf(meant) !== null ? [] : [{ person, meant }];
  });
  const correct = (person: Recipient, meant: string) => {
    const corrected = (people: Recipient[]) => people.map((one) => (one === person ? { ...one, address: meant } : one));
    changeDraft({ to: corrected(draft.to), cc: corrected(draft.cc), bcc: corrected(draft.bcc) });
    announce(text('slipUsed', { meant }));
    document.getElementById(sendFields.people)?.focus();
  };
  return typos.map(({ person, meant }) => (
    <Notice
      key={person.address}
      tone="warning"
      action={
        <Button size="small" onClick={() => correct(person, meant)}>
          {text('useSlip', { meant })}
        </Button>
      }
    >
      {text('slip', { typed: person.address, meant })}
    </Notice>
  ));
}

/** By address. Nothing is refused until the server has answered. */
export function useRefusals(draft: Draft): RefusalOf {
  const [known, setKnown] = useState<ReadonlyMap<string, string | null>>(new Map());
  const unknown = peopleOf(draft)
    .map(({ address }) => address)
    .filter((address) => isAddress(address) && !known.has(address));
  const unchecked = unknown.slice(0, 200).join(' ');
  useEffect(() => {
    if (unchecked === '') return;
    const end = new AbortController();
    call('checkRecipients', { body: { recipients: unchecked.split(' ') }, signal: end.signal }).then(
      ({ recipients }) => {
        if (end.signal.aborted) return;
        const answers = recipients.map(({ typed, sentence }) => [typed, sentence] as const);
        setKnown((before) => new Map([...before, ...answers]));
        const refused = answers.flatMap(([, sentence]) => sentence ?? []);
        if (refused.length > 0) warn(refused.join(' '));
      },
      // The server checks again when the message is sent.
      () => {},
    );
    return () => end.abort();
  }, [unchecked]);
  return (address) => known.get(address) ?? null;
}

function useLater(value: string, ms: number): string {
  const [later, setLater] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setLater(value), value === '' ? 0 : ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return later;
}

import { useState } from 'react';
import { visibleText } from '../../../../visible.ts';
import { useApi, useApiChange } from '../../../api.ts';
import { useMe } from '../../../me.ts';
import { useNames } from '../../../names.ts';
import { useText } from '../../../texts.ts';
import { Checkbox } from '../../../ui/choice.tsx';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { NumberField, TextField } from '../../../ui/field.tsx';
import type { Recipient } from '../../../ui/recipients.ts';
import { RecipientsInput } from '../../../ui/recipients-input.tsx';
import type { PersonDialogProps, SentDialogProps } from './dialog-props.ts';
import { useSentFormats } from './sent-formats.ts';

/** Under the rules of a new message. */
export function AddDialog({ message, onClose, onDone }: SentDialogProps) {
  const text = useText('sent');
  const formats = useSentFormats();
  const { can_send_mail } = useMe();
  const add = useApiChange('addRecipients', ['messages']);
  const [people, setPeople] = useState<Recipient[]>([]);
  const [typed, setTyped] = useState('');
  const [isMailed, setMailed] = useState(can_send_mail);
  const [problem, setProblem] = useState<string | null>(null);
  const known = useApi('listContacts', { query: { q: typed } }, { isEnabled: typed.length > 1, keepsLast: true });
  const present = new Set(message.people.flatMap(({ address, state }) => (state === 'revoked' ? [] : [address])));
  const go = () => {
    const recipients = people.map(({ address }) => address);
    setProblem(recipients.length === 0 ? text('addNone') : null);
    if (recipients.length === 0) return;
    const shown = people.map(({ address, name }) => visibleText(name || address));
    const onSuccess = () => onDone(text('added', { n: shown.length, names: formats.list(shown) }));
    const body = { recipients, names: people.filter(({ name }) => name !== ''), send_email: isMailed };
    add.mutate({ params: { id: message.id }, body }, { onSuccess });
  };
  return (
    <ConfirmDialog
      title={text('addTitle')}
      confirmLabel={text(isMailed ? 'addGo' : 'addGoQuiet')}
      change={add}
      hasInput={people.length > 0}
      onConfirm={go}
      onClose={onClose}
    >
      <RecipientsInput
        label={text('addField')}
        help={text('addHelp')}
        value={people}
        onChange={setPeople}
        problem={problem}
        suggestions={(known.data?.people ?? []).filter(({ address }) => !present.has(address))}
        onType={setTyped}
      />
      {can_send_mail ? (
        <Checkbox label={text('addMail')} help={text('addNoMail')} checked={isMailed} onChange={setMailed} />
      ) : null}
    </ConfirmDialog>
  );
}

export function CorrectDialog({ message, address, onClose, onDone }: PersonDialogProps) {
  const text = useText('sent');
  const correct = useApiChange('correctRecipient', ['messages']);
  const [typed, setTyped] = useState(address);
  const [problem, setProblem] = useState<string | null>(null);
  const go = () => {
    const right = typed.trim();
    const isSame = right.toLowerCase() === address;
    setProblem(isSame ? text('correctSame') : null);
    if (isSame) return;
    const onSuccess = () => onDone(text('corrected', { address: visibleText(right) }));
    correct.mutate({ params: { id: message.id, address }, body: { address: right } }, { onSuccess });
  };
  return (
    <ConfirmDialog
      title={text('correctTitle', { address: visibleText(address) })}
      confirmLabel={text('correctGo')}
      change={correct}
      onConfirm={go}
      onClose={onClose}
    >
      <TextField
        label={text('correctField')}
        help={text('correctHelp')}
        problem={problem}
        type="email"
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={setTyped}
        isFocusedFirst
      />
    </ConfirmDialog>
  );
}

export function AllowDialog({ message, address, onClose, onDone }: SentDialogProps & { address: string | null }) {
  const text = useText('sent');
  const allow = useApiChange('allowMoreDownloads', ['messages']);
  const person = message.people.find((candidate) => candidate.address === address);
  const now = person?.download_limit ?? message.expires_after;
  const most = message.actions.allow_more_to ?? 0;
  const [count, setCount] = useState<number | null>(now + 1);
  const [isFree, setFree] = useState(false);
  const names = useNames();
  const shown = address === null ? '' : names.of(address);
  const sentence = address !== null ? 'allowNowOne' : message.authorization === 0 ? 'allowNowShared' : 'allowNow';
  const go = () => {
    const body = { expires_after: isFree ? 0 : (count ?? 0), ...(address === null ? {} : { address }) };
    const onSuccess = () => onDone(address === null ? text('allowed') : text('allowedOne', { address: shown }));
    allow.mutate({ params: { id: message.id }, body }, { onSuccess });
  };
  return (
    <ConfirmDialog
      title={address === null ? text('allowTitle') : text('allowTitleOne', { address: shown })}
      confirmLabel={text('allow')}
      change={allow}
      isDisabled={!isFree && count === null}
      onConfirm={go}
      onClose={onClose}
    >
      <p>{text(sentence, { n: now })}</p>
      {isFree ? null : (
        <NumberField
          label={text('allowField')}
          help={most === 0 ? undefined : text('allowMost', { n: most })}
          value={count}
          onChange={setCount}
          min={now + 1}
          max={most === 0 ? undefined : most}
        />
      )}
      {most === 0 && address === null ? (
        <Checkbox label={text('allowNoLimit')} checked={isFree} onChange={setFree} />
      ) : null}
    </ConfirmDialog>
  );
}

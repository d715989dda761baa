// One more person for a sent message, under the rules of a new one; nothing is uploaded again.
import { useState } from 'react';
import { useApi, useApiChange } from '../../../api.ts';
import { useMe } from '../../../me.ts';
import { useText } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Checkbox } from '../../../ui/choice.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { ProblemNotice } from '../../../ui/error-state.tsx';
import type { Recipient } from '../../../ui/recipients.ts';
import { RecipientsInput } from '../../../ui/recipients-input.tsx';
import type { SentDialogProps } from './dialogs.tsx';
import { useSentWords } from './words.ts';

export function AddDialog({ message, onClose, tell }: SentDialogProps) {
  const text = useText('sent');
  const words = useSentWords();
  const { can_send_mail } = useMe();
  const add = useApiChange('addRecipients', ['messages']);
  const [people, setPeople] = useState<Recipient[]>([]);
  const [typed, setTyped] = useState('');
  const [isMailed, setMailed] = useState(can_send_mail);
  const [problem, setProblem] = useState<string | null>(null);
  const known = useApi('listContacts', { query: { q: typed } }, { isWanted: typed.length > 1, keepsLast: true });
  const present = new Set(message.people.flatMap(({ address, state }) => (state === 'revoked' ? [] : [address])));
  const go = () => {
    const addresses = people.map(({ address }) => address);
    if (addresses.length === 0) return setProblem(text('addNone'));
    setProblem(null);
    add.mutate(
      { params: { id: message.id }, body: { recipients: addresses, send_email: isMailed } },
      {
        onSuccess: () => {
          onClose();
          tell(text('added', { n: addresses.length, names: words.names(addresses) }));
        },
      },
    );
  };
  return (
    <Dialog
      title={text('addTitle')}
      isOpen
      onClose={onClose}
      holdsWork={people.length > 0}
      actions={
        <>
          <Button variant="primary" isBusy={add.isPending} onClick={go}>
            {text(isMailed ? 'addGo' : 'addGoQuiet')}
          </Button>
          <Button variant="quiet" onClick={onClose}>
            {text('cancel')}
          </Button>
        </>
      }
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
      <ProblemNotice error={add.error} />
    </Dialog>
  );
}

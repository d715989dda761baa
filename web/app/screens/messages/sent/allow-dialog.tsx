// A higher limit on downloads, for everybody or for one person.
import { useState } from 'react';
import { visibleText } from '../../../../visible.ts';
import { useApiChange } from '../../../api.ts';
import { useText } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Checkbox } from '../../../ui/choice.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { ProblemNotice } from '../../../ui/error-state.tsx';
import { NumberField } from '../../../ui/number-field.tsx';
import type { SentDialogProps } from './dialogs.tsx';

export function AllowDialog({ message, address, onClose, tell }: SentDialogProps & { address: string | null }) {
  const text = useText('sent');
  const allow = useApiChange('allowMoreDownloads', ['messages']);
  const person = message.people.find((candidate) => candidate.address === address);
  const now = person?.download_limit ?? message.expires_after;
  const most = message.actions.allow_more_to ?? 0;
  const [count, setCount] = useState<number | null>(now + 1);
  const [isFree, setFree] = useState(false);
  const shown = address === null ? '' : visibleText(address);
  const said = address !== null ? 'allowNowOne' : message.authorization === 0 ? 'allowNowShared' : 'allowNow';
  const go = () =>
    allow.mutate(
      {
        params: { id: message.id },
        body: { expires_after: isFree ? 0 : (count ?? 0), ...(address === null ? {} : { address }) },
      },
      {
        onSuccess: () => {
          onClose();
          tell(address === null ? text('allowed') : text('allowedOne', { address: shown }));
        },
      },
    );
  return (
    <Dialog
      title={address === null ? text('allowTitle') : text('allowTitleOne', { address: shown })}
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button variant="primary" isBusy={allow.isPending} isDisabled={!isFree && count === null} onClick={go}>
            {text('allow')}
          </Button>
          <Button variant="quiet" onClick={onClose}>
            {text('cancel')}
          </Button>
        </>
      }
    >
      <p>{text(said, { n: now })}</p>
      {isFree ? null : (
        <NumberField
          label={text('allowField')}
          value={count}
          onChange={setCount}
          min={now + 1}
          {...(most === 0 ? {} : { max: most, help: text('allowMost', { n: most }) })}
        />
      )}
      {most === 0 && address === null ? (
        <Checkbox label={text('allowNoLimit')} checked={isFree} onChange={setFree} />
      ) : null}
      <ProblemNotice error={allow.error} />
    </Dialog>
  );
}

// Somebody who should never have got it: what they have so far, access taken away, and what is then on record.
import { visibleText } from '../../../../visible.ts';
import { useApi, useApiChange } from '../../../api.ts';
import { useText } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { ErrorState, ProblemNotice } from '../../../ui/error-state.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import type { SentDialogProps } from './dialogs.tsx';
import { Exposure } from './exposure.tsx';

interface Props extends SentDialogProps {
  address: string;
  onStop: () => void;
}

export function WrongDialog({ message, address, onClose, tell, onStop }: Props) {
  const text = useText('sent');
  const shown = visibleText(address);
  const soFar = useApi('getExposure', { params: { id: message.id, address } });
  const report = useApiChange('reportWrongRecipient', ['messages']);
  const recorded = report.data?.exposure;
  const go = () =>
    report.mutate(
      { params: { id: message.id }, body: { address } },
      { onSuccess: () => tell(text('wrongDone', { address: shown })) },
    );
  return (
    <Dialog
      title={text('wrongTitle', { address: shown })}
      isOpen
      onClose={onClose}
      actions={
        recorded === undefined ? (
          <>
            <Button onClick={onClose} data-autofocus>
              {text('revokeKeep')}
            </Button>
            <Button variant="danger" isBusy={report.isPending} onClick={go}>
              {text('wrongGo')}
            </Button>
          </>
        ) : (
          <Button variant="primary" onClick={onClose}>
            {text('done')}
          </Button>
        )
      }
    >
      {recorded === undefined ? (
        <p>{text('wrongHelp')}</p>
      ) : (
        <Notice tone="success">{text('wrongDone', { address: shown })}</Notice>
      )}
      {recorded !== undefined ? (
        <Exposure exposure={recorded} message={message} isRecord onStop={onStop} />
      ) : soFar.data !== undefined ? (
        <Exposure exposure={soFar.data.exposure} message={message} isRecord={false} />
      ) : soFar.error !== null ? (
        <ErrorState error={soFar.error} onRetry={() => void soFar.refetch()} />
      ) : (
        <Skeleton lines={5} />
      )}
      <ProblemNotice error={report.error} />
    </Dialog>
  );
}

import { useApi, useApiChange } from '../../../api.ts';
import { useNames } from '../../../names.ts';
import { useText } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDialog, Dialog } from '../../../ui/dialog.tsx';
import { Loaded, Notice } from '../../../ui/states.tsx';
import type { PersonDialogProps, TrackerProps } from './dialog-props.ts';
import { Exposure } from './exposure.tsx';

interface Props extends Omit<PersonDialogProps, 'onDone'>, Pick<TrackerProps, 'notify'> {
  onStop: () => void;
}

export function WrongDialog({ message, address, onClose, notify, onStop }: Props) {
  const text = useText('sent');
  const ui = useText('ui');
  const shown = useNames().full(address);
  const soFar = useApi('getExposure', { params: { id: message.id, address } });
  const report = useApiChange('reportWrongRecipient', ['messages']);
  const recorded = report.data?.exposure;
  const title = text('wrongTitle', { address: shown });
  const onSuccess = () => notify(text('wrongDone', { address: shown }));
  if (recorded !== undefined) {
    const done = (
      <Button variant="primary" onClick={onClose}>
        {ui('done')}
      </Button>
    );
    return (
      <Dialog title={title} onClose={onClose} actions={done}>
        <Notice tone="success">{text('wrongDone', { address: shown })}</Notice>
        <Exposure exposure={recorded} message={message} isRecord onStop={onStop} />
      </Dialog>
    );
  }
  return (
    <ConfirmDialog
      isDanger
      title={title}
      cancelLabel={text('revokeKeep')}
      confirmLabel={text('wrongGo')}
      change={report}
      onConfirm={() => report.mutate({ params: { id: message.id }, body: { address } }, { onSuccess })}
      onClose={onClose}
    >
      <p>{text('wrongHelp')}</p>
      <Loaded query={soFar} lines={5}>
        {({ exposure }) => <Exposure exposure={exposure} message={message} isRecord={false} />}
      </Loaded>
    </ConfirmDialog>
  );
}

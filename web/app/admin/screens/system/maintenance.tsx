import { useState } from 'react';
import type { CallAnswer } from '#contract/client.ts';
import { visibleText } from '../../../../visible.ts';
import { useApiChange } from '../../../api.ts';
import { useFormats } from '../../../formats.ts';
import { useText } from '../../../texts.ts';
import { announce } from '../../../ui/announcer.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/field.tsx';
import { Row, Stack } from '../../../ui/layout.tsx';
import { Notice, ProblemNotice, problemAt } from '../../../ui/states.tsx';

type Maintenance = CallAnswer<'getSystem'>['system']['maintenance'];

export function MaintenanceCard({ maintenance }: { maintenance: Maintenance }) {
  const text = useText('admin/system');
  return (
    <Card title={text('maintenance')}>{maintenance === null ? <Begin /> : <Running maintenance={maintenance} />}</Card>
  );
}

function Running({ maintenance }: { maintenance: NonNullable<Maintenance> }) {
  const text = useText('admin/system');
  const formats = useFormats();
  const end = useApiChange('endMaintenance', ['admin']);
  const finish = () => end.mutate({}, { onSuccess: () => announce(text('maintenanceEnded')) });
  return (
    <Stack gap={16}>
      <Notice tone="warning" title={text('maintenanceOn', { since: formats.dateTime(maintenance.since) })}>
        {maintenance.message === '' ? text('maintenanceUsual') : visibleText(maintenance.message)}
      </Notice>
      <ProblemNotice error={end.error} />
      <Row>
        <Button isBusy={end.isPending} onClick={finish}>
          {text('maintenanceEnd')}
        </Button>
      </Row>
    </Stack>
  );
}

function Begin() {
  const text = useText('admin/system');
  const [isDialogOpen, setDialogOpen] = useState(false);
  const [message, setMessage] = useState('');
  const begin = useApiChange('beginMaintenance', ['admin']);
  const go = () =>
    begin.mutate(
      { body: { maintenance: { message } } },
      {
        onSuccess: () => {
          announce(text('maintenanceBegun'));
          setDialogOpen(false);
        },
      },
    );
  return (
    <Stack gap={16}>
      <p>{text('maintenanceHelp')}</p>
      <Row>
        <Button onClick={() => setDialogOpen(true)}>{text('maintenanceBegin')}</Button>
      </Row>
      {isDialogOpen ? (
        <ConfirmDialog
          title={text('maintenanceTitle')}
          confirmLabel={text('maintenanceGo')}
          change={begin}
          fields={['message']}
          onConfirm={go}
          onClose={() => setDialogOpen(false)}
        >
          <TextField
            label={text('maintenanceMessage')}
            help={text('maintenanceMessageHelp')}
            isOptional
            maxLength={500}
            value={message}
            onChange={setMessage}
            problem={problemAt(begin.error, 'message')}
          />
        </ConfirmDialog>
      ) : null}
    </Stack>
  );
}

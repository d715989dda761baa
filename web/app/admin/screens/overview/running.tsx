import { Ban } from 'lucide-react';
import { useState } from 'react';
import type { RunningTransferBody } from '#contract/admin/overview.ts';
import { visibleText } from '../../../../visible.ts';
import { useApiChange } from '../../../api.ts';
import { useFormats } from '../../../formats.ts';
import { useMe } from '../../../me.ts';
import { useText } from '../../../texts.ts';
import { announce } from '../../../ui/announcer.tsx';
import { Card } from '../../../ui/card.tsx';
import type { Column } from '../../../ui/columns.ts';
import { ShortRows } from '../../../ui/data-rows.tsx';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { Muted } from '../../../ui/layout.tsx';
import { Progress } from '../../../ui/progress.tsx';
import { administrators } from '../../roles.ts';
import classes from './overview.module.css';

export function RunningTransfers({ running }: { running: readonly RunningTransferBody[] }) {
  const text = useText('admin/overview');
  const mayStop = administrators.includes(useMe().role);
  const columns = useColumns();
  const [selected, setSelected] = useState<RunningTransferBody | null>(null);
  const stop = (transfer: RunningTransferBody) => [
    { items: [{ label: text('stop'), icon: Ban, isDanger: true, onClick: () => setSelected(transfer) }] },
  ];
  return (
    <Card
      title={text('running')}
      isFlush={running.length > 0}
      {...(running.length === 0 ? {} : { mark: String(running.length) })}
    >
      {running.length === 0 ? (
        <Muted>{text('runningNone')}</Muted>
      ) : (
        <ShortRows
          caption={text('runningTable')}
          columns={columns}
          rows={running}
          rowName={ownerOf}
          {...(mayStop ? { actions: stop } : {})}
        />
      )}
      {selected === null ? null : <Stop running={selected} onClose={() => setSelected(null)} />}
    </Card>
  );
}

function useColumns(): Column<RunningTransferBody>[] {
  const text = useText('admin/overview');
  const formats = useFormats();
  return [
    { id: 'person', header: text('person'), cell: (running) => <bdi>{ownerOf(running)}</bdi> },
    {
      id: 'amount',
      header: text('size'),
      small: 'mark',
      cell: ({ bytes, total }) =>
        total === null || total === 0 ? (
          formats.size(bytes)
        ) : (
          <span className={classes.running}>
            <Progress share={bytes / total} label={text('size')} text={formats.size(bytes)} showsText={false} />
            {formats.percent(bytes / total)}
          </span>
        ),
    },
    {
      id: 'what',
      header: text('what'),
      small: 'line',
      cell: ({ kind, recipient }) =>
        kind === 'upload'
          ? text('upload')
          : text('download', { to: recipient === '' ? text('somebody') : visibleText(recipient) }),
    },
    { id: 'size', header: text('size'), small: 'line', cell: ({ bytes }) => formats.size(bytes) },
  ];
}

function ownerOf({ owner }: RunningTransferBody): string {
  return visibleText(owner.name === '' ? owner.email : owner.name);
}

function Stop({ running, onClose }: { running: RunningTransferBody; onClose: () => void }) {
  const text = useText('admin/overview');
  const change = useApiChange('stopRunning', ['admin']);
  const onSuccess = () => {
    onClose();
    announce(text('stopped'));
  };
  return (
    <ConfirmDialog
      isDanger
      title={text('stopTitle', { name: ownerOf(running) })}
      confirmLabel={text('stop')}
      cancelLabel={text('keepRunning')}
      change={change}
      onConfirm={() => change.mutate({ params: { id: running.id } }, { onSuccess })}
      onClose={onClose}
    >
      {text(running.kind === 'upload' ? 'stopUploadText' : 'stopDownloadText')}
    </ConfirmDialog>
  );
}

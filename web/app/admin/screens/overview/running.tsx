import { useState } from 'react';
import type { RunningTransferBody } from '#contract/admin/overview.ts';
import { visibleText } from '../../../../visible.ts';
import { useApiChange } from '../../../api.ts';
import { useFormats } from '../../../formats.ts';
import { useMe } from '../../../me.ts';
import { useText } from '../../../texts.ts';
import { announce } from '../../../ui/announcer.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { Muted } from '../../../ui/layout.tsx';
import { PlainTable } from '../../../ui/plain-table.tsx';
import { administrators } from '../../roles.ts';

export function RunningTransfers({ running }: { running: readonly RunningTransferBody[] }) {
  const text = useText('admin/overview');
  const formats = useFormats();
  const mayStop = administrators.includes(useMe().role);
  const [selected, setSelected] = useState<RunningTransferBody | null>(null);
  if (running.length === 0)
    return (
      <Card title={text('running')}>
        <Muted>{text('runningNone')}</Muted>
      </Card>
    );
  return (
    <Card title={text('running')}>
      <PlainTable
        caption={text('runningTable')}
        isCaptionHidden
        headers={[text('person'), text('what'), text('size'), text('since'), ...(mayStop ? [text('actions')] : [])]}
        rows={running.map((one) => ({
          id: one.id,
          cells: [
            <bdi key="owner">{ownerOf(one)}</bdi>,
            one.kind === 'upload'
              ? text('upload')
              : text('download', { to: one.recipient === '' ? text('somebody') : visibleText(one.recipient) }),
            formats.size(one.bytes),
            formats.dateTime(one.started_at),
            ...(mayStop
              ? [
                  <Button
                    key="stop"
                    size="small"
                    aria-label={text('stopOf', { name: ownerOf(one) })}
                    onClick={() => setSelected(one)}
                  >
                    {text('stop')}
                  </Button>,
                ]
              : []),
          ],
        }))}
      />
      {selected === null ? null : <Stop running={selected} onClose={() => setSelected(null)} />}
    </Card>
  );
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

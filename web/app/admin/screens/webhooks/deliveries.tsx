import { RotateCcw } from 'lucide-react';
import { useState } from 'react';
import type { CallAnswer } from '#contract/client.ts';
import { visibleText } from '../../../../visible.ts';
import { useApi, useApiChange } from '../../../api.ts';
import { useFormats } from '../../../formats.ts';
import { useText } from '../../../texts.ts';
import { announce } from '../../../ui/announcer.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import type { Column } from '../../../ui/columns.ts';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { Muted, Row, Stack } from '../../../ui/layout.tsx';
import { Pill } from '../../../ui/pill.tsx';
import { CardTable } from '../../../ui/plain-table.tsx';
import { Loaded } from '../../../ui/states.tsx';
import { useActionName } from '../../parts/event-names.ts';

type Delivery = CallAnswer<'listWebhookDeliveries'>['deliveries'][number];

interface Props {
  id: string;
  mayChange: boolean;
  /** False while the webhook is being deleted. */
  isEnabled: boolean;
}

export function Deliveries({ id, mayChange, isEnabled }: Props) {
  const text = useText('admin/webhooks');
  const formats = useFormats();
  const actionName = useActionName();
  const columns = useColumns();
  const [after, setAfter] = useState<string | null>(null);
  const [replayed, setReplayed] = useState<Delivery | null>(null);
  const input = { params: { id }, query: { size: '25', ...(after === null ? {} : { after }) } };
  const query = useApi('listWebhookDeliveries', input as never, { isEnabled, keepsLast: true, everyMs: 10_000 });
  const nameOf = ({ action, at }: Delivery) => `${actionName(action)}, ${formats.dateTime(at)}`;
  const actions = (delivery: Delivery) => [
    { items: [{ label: text('replayFrom'), icon: RotateCcw, onClick: () => setReplayed(delivery) }] },
  ];
  return (
    <Card title={text('deliveries')}>
      <Loaded query={query}>
        {({ deliveries, next }) => (
          <Stack gap={12}>
            {deliveries.length === 0 ? (
              <Muted>{text('noDeliveries')}</Muted>
            ) : (
              <CardTable
                caption={text('deliveryTable')}
                isFlowing
                columns={columns}
                rows={deliveries}
                rowName={nameOf}
                {...(mayChange ? { actions } : {})}
              />
            )}
            <Row>
              {after === null ? null : <Button onClick={() => setAfter(null)}>{text('newest')}</Button>}
              {next === null ? null : <Button onClick={() => setAfter(next)}>{text('older')}</Button>}
            </Row>
          </Stack>
        )}
      </Loaded>
      {replayed === null ? null : (
        <Replay id={id} delivery={replayed} name={nameOf(replayed)} onClose={() => setReplayed(null)} />
      )}
    </Card>
  );
}

function useColumns(): Column<Delivery>[] {
  const text = useText('admin/webhooks');
  const formats = useFormats();
  const actionName = useActionName();
  return [
    { id: 'event', header: text('event'), cell: ({ action }) => actionName(action) },
    { id: 'at', header: text('deliveredAt'), small: 'line', cell: ({ at }) => formats.dateTime(at) },
    {
      id: 'result',
      header: text('result'),
      small: 'mark',
      cell: ({ status, error }) => (
        <Pill tone={error === '' ? 'success' : 'danger'}>
          {status === null ? text('noAnswer') : formats.number(status)}
        </Pill>
      ),
    },
    {
      id: 'error',
      header: text('errorWords'),
      small: 'line',
      cell: ({ error }) => (error === '' ? '–' : <bdi>{visibleText(error)}</bdi>),
    },
  ];
}

interface ReplayProps {
  id: string;
  delivery: Delivery;
  name: string;
  onClose: () => void;
}

function Replay({ id, delivery, name, onClose }: ReplayProps) {
  const text = useText('admin/webhooks');
  const replay = useApiChange('replayWebhook', ['admin']);
  const onSuccess = () => {
    announce(text('replayed'));
    onClose();
  };
  // The position before the event of this entry.
  const after = Math.max(0, delivery.event - 1);
  return (
    <ConfirmDialog
      title={text('replayTitle')}
      confirmLabel={text('replayGo')}
      change={replay}
      onConfirm={() => replay.mutate({ params: { id }, body: { replay: { after } } }, { onSuccess })}
      onClose={onClose}
    >
      <p>{text('replayText', { name })}</p>
    </ConfirmDialog>
  );
}

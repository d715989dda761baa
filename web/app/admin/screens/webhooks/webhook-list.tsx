import { Link } from '@tanstack/react-router';
import type { CallAnswer } from '#contract/client.ts';
import { visibleText } from '../../../../visible.ts';
import { useFormats } from '../../../formats.ts';
import { useText } from '../../../texts.ts';
import { Card } from '../../../ui/card.tsx';
import { Muted } from '../../../ui/layout.tsx';
import { Pill } from '../../../ui/pill.tsx';
import { CardTable } from '../../../ui/plain-table.tsx';

export type Webhook = CallAnswer<'listWebhooks'>['webhooks'][number];

const states = {
  on: { label: 'stateOn', tone: 'success' },
  off: { label: 'stateOff', tone: 'ended' },
  failed: { label: 'stateFailed', tone: 'danger' },
  failing: { label: 'stateFailing', tone: 'danger' },
} as const;

export function WebhookState({ webhook: { state, attempts } }: { webhook: Webhook }) {
  const text = useText('admin/webhooks');
  const { label, tone } = states[state === 'on' && attempts > 0 ? 'failing' : state];
  return <Pill tone={tone}>{text(label)}</Pill>;
}

export function WebhookList({ webhooks }: { webhooks: readonly Webhook[] }) {
  const text = useText('admin/webhooks');
  const formats = useFormats();
  if (webhooks.length === 0)
    return (
      <Card title={text('webhooks')}>
        <Muted>{text('noWebhooks')}</Muted>
      </Card>
    );
  return (
    <Card title={text('webhooks')} isFlush>
      <CardTable
        caption={text('webhookTable')}
        columns={[
          {
            id: 'address',
            header: text('address'),
            cell: ({ id, url }) => (
              <Link to="/admin/webhooks" search={{ webhook: id } as never}>
                <bdi>{visibleText(url)}</bdi>
              </Link>
            ),
            under: ({ last_error: error }) => (error === '' ? '' : <bdi>{visibleText(error)}</bdi>),
          },
          {
            id: 'kinds',
            header: text('kinds'),
            width: 'date',
            small: 'line',
            cell: ({ events }) => (events.includes('*') ? text('allKinds') : text('kindCount', { n: events.length })),
          },
          {
            id: 'state',
            header: text('state'),
            width: 'quarter',
            small: 'mark',
            cell: (webhook) => <WebhookState webhook={webhook} />,
          },
          {
            id: 'delivered',
            header: text('delivered'),
            width: 'mark',
            small: 'line',
            cell: ({ delivered_at: at }) => (at === null ? text('never') : formats.dateTime(at)),
          },
        ]}
        rows={webhooks}
        rowName={({ url }) => visibleText(url)}
      />
    </Card>
  );
}

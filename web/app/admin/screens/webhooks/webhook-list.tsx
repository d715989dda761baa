import { useState } from 'react';
import type { CallAnswer } from '#contract/client.ts';
import { visibleText } from '../../../../visible.ts';
import { useApi, useApiChange } from '../../../api.ts';
import { useFormats } from '../../../formats.ts';
import { useMe } from '../../../me.ts';
import { useText } from '../../../texts.ts';
import { announce } from '../../../ui/announcer.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { CopyField } from '../../../ui/copy-field.tsx';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { Muted, Row, Stack } from '../../../ui/layout.tsx';
import { Pill } from '../../../ui/pill.tsx';
import { PlainTable } from '../../../ui/plain-table.tsx';
import { Loaded, Notice, ProblemNotice } from '../../../ui/states.tsx';
import { systemAdministrators } from '../../roles.ts';

type Shown = CallAnswer<'listWebhooks'>['webhooks'][number];

const tones = { on: 'success', off: 'ended', failed: 'danger' } as const;
const states = { on: 'stateOn', off: 'stateOff', failed: 'stateFailed' } as const;

export function WebhookList() {
  const text = useText('admin/webhooks');
  const formats = useFormats();
  const webhooks = useApi('listWebhooks', {}, { everyMs: 30_000 });
  const mayChange = systemAdministrators.includes(useMe().role);
  return (
    <Card title={text('webhooks')}>
      <Loaded query={webhooks}>
        {({ webhooks: all }) =>
          all.length === 0 ? (
            <Muted>{text('noWebhooks')}</Muted>
          ) : (
            <PlainTable
              caption={text('webhookTable')}
              isCaptionHidden
              headers={[
                text('address'),
                text('kinds'),
                text('state'),
                text('delivered'),
                text('lastError'),
                ...(mayChange ? [text('actions')] : []),
              ]}
              rows={all.map((webhook) => ({
                id: webhook.id,
                cells: [
                  visibleText(webhook.url),
                  webhook.events.includes('*') ? text('allKinds') : webhook.events.join(', '),
                  <Pill key="state" tone={tones[webhook.state]}>
                    {text(states[webhook.state])}
                  </Pill>,
                  webhook.delivered_at === null ? text('never') : formats.dateTime(webhook.delivered_at),
                  visibleText(webhook.last_error) || text('none'),
                  ...(mayChange ? [<Actions key="actions" webhook={webhook} />] : []),
                ],
              }))}
            />
          )
        }
      </Loaded>
    </Card>
  );
}

function Actions({ webhook }: { webhook: Shown }) {
  const text = useText('admin/webhooks');
  const [isAsked, setAsked] = useState<'delete' | 'rotate' | null>(null);
  const test = useApiChange('testWebhook', ['admin']);
  const change = useApiChange('changeWebhook', ['admin']);
  const rotate = useApiChange('rotateWebhookSecret', ['admin']);
  const remove = useApiChange('deleteWebhook', ['admin']);
  const { id, url } = webhook;
  const isOn = webhook.state === 'on';
  const params = { id };
  const asked = isAsked === 'delete' ? remove : rotate;
  const onSuccess = () => {
    setAsked(null);
    announce(text(isAsked === 'delete' ? 'deleted' : 'rotated'));
  };
  return (
    <Stack gap={8}>
      <Row>
        <Button size="small" isBusy={test.isPending} onClick={() => test.mutate({ params })}>
          {text('test')}
        </Button>
        <Button
          size="small"
          isBusy={change.isPending}
          onClick={() => change.mutate({ params, body: { webhook: { enabled: !isOn } } })}
        >
          {text(isOn ? 'switchOff' : 'switchOn')}
        </Button>
        <Button size="small" onClick={() => setAsked('rotate')}>
          {text('rotate')}
        </Button>
        <Button size="small" onClick={() => setAsked('delete')}>
          {text('delete')}
        </Button>
      </Row>
      {test.data === undefined ? null : <TestResult result={test.data.test} />}
      {rotate.data === undefined ? null : (
        <CopyField label={text('secret')} help={text('secretHelp')} value={rotate.data.secret} />
      )}
      <ProblemNotice error={test.error ?? change.error} />
      {isAsked === null ? null : (
        <ConfirmDialog
          title={text(isAsked === 'delete' ? 'deleteTitle' : 'rotateTitle', { url: visibleText(url) })}
          confirmLabel={text(isAsked)}
          isDanger={isAsked === 'delete'}
          change={asked}
          onConfirm={() => asked.mutate({ params }, { onSuccess })}
          onClose={() => setAsked(null)}
        >
          {text(isAsked === 'delete' ? 'deleteHelp' : 'rotateHelp')}
        </ConfirmDialog>
      )}
    </Stack>
  );
}

function TestResult({ result }: { result: CallAnswer<'testWebhook'>['test'] }) {
  const text = useText('admin/webhooks');
  return result.error === '' ? (
    <Notice tone="success">{text('testPassed')}</Notice>
  ) : (
    <Notice tone="danger">{text('testFailed', { words: visibleText(result.error) })}</Notice>
  );
}

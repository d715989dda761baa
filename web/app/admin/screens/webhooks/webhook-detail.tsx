import { useState } from 'react';
import type { CallAnswer } from '#contract/client.ts';
import { visibleText } from '../../../../visible.ts';
import { useApiChange } from '../../../api.ts';
import { useFormats } from '../../../formats.ts';
import { useText } from '../../../texts.ts';
import { announce } from '../../../ui/announcer.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { CopyField } from '../../../ui/copy-field.tsx';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { Pairs, Row, Stack } from '../../../ui/layout.tsx';
import { Notice, ProblemNotice, problemAt } from '../../../ui/states.tsx';
import { useActionName } from '../../parts/event-names.ts';
import { FormCard } from '../../parts/form-card.tsx';
import { Deliveries } from './deliveries.tsx';
import { KindsField } from './kinds-field.tsx';
import { formatNames } from './new-webhook.tsx';
import { type Webhook, WebhookState } from './webhook-list.tsx';

interface Props {
  webhook: Webhook;
  kinds: readonly string[];
  mayChange: boolean;
  onClose: () => void;
}

export function WebhookDetail({ webhook, kinds, mayChange, onClose }: Props) {
  const text = useText('admin/webhooks');
  const remove = useApiChange('deleteWebhook', ['admin']);
  return (
    <Stack gap={24}>
      <div>
        <Button onClick={onClose}>{text('back')}</Button>
      </div>
      <Card title={visibleText(webhook.url)}>
        <Stack gap={16}>
          <Facts webhook={webhook} />
          {mayChange ? <Actions webhook={webhook} remove={remove} onDeleted={onClose} /> : null}
        </Stack>
      </Card>
      <Deliveries id={webhook.id} mayChange={mayChange} isEnabled={remove.isIdle || remove.isError} />
      {mayChange ? <Kinds webhook={webhook} kinds={kinds} /> : null}
    </Stack>
  );
}

function Facts({ webhook }: { webhook: Webhook }) {
  const text = useText('admin/webhooks');
  const formats = useFormats();
  const actionName = useActionName();
  const { events, delivered_at: deliveredAt, next_at: nextAt, last_error: error } = webhook;
  return (
    <Pairs
      pairs={[
        { name: text('state'), value: <WebhookState webhook={webhook} /> },
        { name: text('kinds'), value: events.includes('*') ? text('allKinds') : formats.list(events.map(actionName)) },
        { name: text('format'), value: text(formatNames[webhook.format]) },
        { name: text('delivered'), value: deliveredAt === null ? text('never') : formats.dateTime(deliveredAt) },
        { name: text('lastError'), value: visibleText(error) || text('none') },
        ...(nextAt === null ? [] : [{ name: text('nextTry'), value: formats.dateTime(nextAt) }]),
      ]}
    />
  );
}

function Kinds({ webhook, kinds }: Pick<Props, 'webhook' | 'kinds'>) {
  const text = useText('admin/webhooks');
  const [events, setEvents] = useState<string[]>([...webhook.events]);
  const save = useApiChange('changeWebhook', ['admin']);
  const problem = problemAt(save.error, 'events');
  const submit = () =>
    save.mutate(
      { params: { id: webhook.id }, body: { webhook: { events } } },
      { onSuccess: () => announce(text('saved')) },
    );
  return (
    <FormCard
      title={text('kindsTitle')}
      change={save}
      otherError={problem === null ? save.error : null}
      submitLabel={text('save')}
      savedText={text('saved')}
      onSubmit={submit}
    >
      <KindsField kinds={kinds} value={events} onChange={setEvents} problem={problem} />
    </FormCard>
  );
}

interface ActionsProps {
  webhook: Webhook;
  remove: ReturnType<typeof useApiChange<'deleteWebhook'>>;
  onDeleted: () => void;
}

function Actions({ webhook, remove, onDeleted }: ActionsProps) {
  const text = useText('admin/webhooks');
  const [isAsked, setAsked] = useState<'delete' | 'rotate' | null>(null);
  const test = useApiChange('testWebhook', ['admin']);
  const change = useApiChange('changeWebhook', ['admin']);
  const rotate = useApiChange('rotateWebhookSecret', ['admin']);
  const { id, url } = webhook;
  const isOn = webhook.state === 'on';
  const params = { id };
  const asked = isAsked === 'delete' ? remove : rotate;
  const onSuccess = () => {
    setAsked(null);
    announce(text(isAsked === 'delete' ? 'deleted' : 'rotated'));
    if (isAsked === 'delete') onDeleted();
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

import { visibleText } from '../../../../visible.ts';
import { useApi, useApiChange } from '../../../api.ts';
import { useFormats } from '../../../formats.ts';
import { useMe } from '../../../me.ts';
import { useText } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Muted, Stack } from '../../../ui/layout.tsx';
import { Pill } from '../../../ui/pill.tsx';
import { PlainTable } from '../../../ui/plain-table.tsx';
import { Loaded, Notice, ProblemNotice } from '../../../ui/states.tsx';
import { systemAdministrators } from '../../roles.ts';

const names = { syslog: 'syslog', file: 'file' } as const;

export function Streams() {
  const text = useText('admin/webhooks');
  const formats = useFormats();
  const streams = useApi('listEventStreams', {}, { everyMs: 30_000 });
  const mayTest = systemAdministrators.includes(useMe().role);
  return (
    <Card title={text('streams')}>
      <Stack gap={12}>
        <p>{text('streamsHelp')}</p>
        <Loaded query={streams}>
          {({ streams: all }) =>
            all.length === 0 ? (
              <Muted>{text('noStreams')}</Muted>
            ) : (
              <PlainTable
                caption={text('streamTable')}
                isCaptionHidden
                headers={[
                  text('stream'),
                  text('target'),
                  text('state'),
                  text('delivered'),
                  text('lastError'),
                  ...(mayTest ? [text('actions')] : []),
                ]}
                rows={all.map((stream) => ({
                  id: stream.name,
                  cells: [
                    text(names[stream.name]),
                    visibleText(stream.target),
                    <Pill key="state" tone={stream.attempts > 0 ? 'danger' : stream.waiting ? 'progress' : 'success'}>
                      {text(stream.attempts > 0 ? 'stateFailing' : stream.waiting ? 'stateWaiting' : 'stateOn')}
                    </Pill>,
                    stream.delivered_at === null ? text('never') : formats.dateTime(stream.delivered_at),
                    visibleText(stream.last_error) || text('none'),
                    ...(mayTest ? [<Test key="test" name={stream.name} />] : []),
                  ],
                }))}
              />
            )
          }
        </Loaded>
      </Stack>
    </Card>
  );
}

function Test({ name }: { name: string }) {
  const text = useText('admin/webhooks');
  const test = useApiChange('testEventStream', ['admin']);
  const error = test.data?.test.error;
  return (
    <Stack gap={8}>
      <Button size="small" isBusy={test.isPending} onClick={() => test.mutate({ params: { name } })}>
        {text('test')}
      </Button>
      {error === undefined ? null : error === '' ? (
        <Notice tone="success">{text('testPassed')}</Notice>
      ) : (
        <Notice tone="danger">{text('testFailed', { words: visibleText(error) })}</Notice>
      )}
      <ProblemNotice error={test.error} />
    </Stack>
  );
}

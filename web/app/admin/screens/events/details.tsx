import type { EventBody } from '#contract/admin/events.ts';
import { visibleText } from '../../../../visible.ts';
import { useFormats } from '../../../formats.ts';
import { useText } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Pairs, Stack } from '../../../ui/layout.tsx';
import { PlainTable } from '../../../ui/plain-table.tsx';
import { useActionName, useActorName, valueText } from './event-names.ts';

export function EventDetails({ event, onClose }: { event: EventBody; onClose: () => void }) {
  const text = useText('admin/events');
  const { dateTime } = useFormats();
  const title = useActionName()(event.action);
  const actor = useActorName()(event);
  const shown = (value: unknown) => (value === null || value === '' ? text('nothing') : visibleText(valueText(value)));
  const { changes, facts } = event;
  const rest = Object.entries(facts).filter(([, value]) => typeof value !== 'object' || value === null);
  const others = changes.length === 0 ? rest : rest.filter(([key]) => key === 'reason');
  return (
    <Dialog title={title} onClose={onClose} actions={<Button onClick={onClose}>{text('close')}</Button>}>
      <Stack>
        <Pairs
          pairs={[
            { name: text('who'), value: actor },
            { name: text('when'), value: dateTime(event.at) },
            { name: text('object'), value: `${event.object_kind} ${visibleText(event.object_id)}` },
            ...(event.remote_ip === '' ? [] : [{ name: text('where'), value: event.remote_ip }]),
            ...others.map(([key, value]) => ({ name: key === 'reason' ? text('reason') : key, value: shown(value) })),
            ...(event.request_id === '' ? [] : [{ name: text('request'), value: event.request_id }]),
          ]}
        />
        {changes.length === 0 ? null : (
          <PlainTable
            caption={text('changesCaption')}
            headers={[text('field'), text('before'), text('after')]}
            rows={changes.map(({ field, from, to }) => ({
              id: field,
              cells: [field === '' ? text('value') : field, shown(from), shown(to)],
            }))}
          />
        )}
      </Stack>
    </Dialog>
  );
}

import type { EventBody } from '#contract/admin/events.ts';
import { visibleText } from '../../../../visible.ts';
import { useFormats } from '../../../formats.ts';
import { useText } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Pairs, Stack } from '../../../ui/layout.tsx';
import { PlainTable } from '../../../ui/plain-table.tsx';
import { useActionName, useActorName, useObjectName } from '../../parts/event-names.ts';
import { useFactNames, useFieldNames } from '../../parts/names.ts';

export function EventDetails({ event, onClose }: { event: EventBody; onClose: () => void }) {
  const text = useText('admin/events');
  const { dateTime } = useFormats();
  const title = useActionName()(event.action);
  const actor = useActorName()(event);
  const object = useObjectName()(event);
  const fields = useFieldNames();
  const factNames = useFactNames();
  const isNone = (value: unknown) => value === null || value === '' || (Array.isArray(value) && value.length === 0);
  const shown = (names: typeof fields | typeof factNames, key: string, value: unknown) =>
    isNone(value) ? text('nothing') : visibleText(names.valueText(key, value));
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
            { name: text('object'), value: object },
            ...(event.remote_ip === '' ? [] : [{ name: text('where'), value: event.remote_ip }]),
            ...others.flatMap(([key, value]) => {
              const name = factNames.nameOf(key);
              return name === null ? [] : [{ name, value: shown(factNames, key, value) }];
            }),
          ]}
        />
        {changes.length === 0 ? null : (
          <PlainTable
            caption={text('changesCaption')}
            headers={[text('field'), text('before'), text('after')]}
            rows={changes.map(({ field, from, to }) => ({
              id: field,
              cells: [
                field === '' ? text('value') : fields.nameOf(field),
                shown(fields, field, from),
                shown(fields, field, to),
              ],
            }))}
          />
        )}
        <details>
          <summary>{text('technical')}</summary>
          <Pairs
            pairs={[
              { name: text('objectId'), value: <code>{event.object_id}</code> },
              ...(event.request_id === '' ? [] : [{ name: text('request'), value: <code>{event.request_id}</code> }]),
              ...others
                .filter(([key]) => factNames.nameOf(key) === null)
                .map(([key, value]) => ({ name: key, value: <code>{visibleText(String(value))}</code> })),
            ]}
          />
        </details>
      </Stack>
    </Dialog>
  );
}

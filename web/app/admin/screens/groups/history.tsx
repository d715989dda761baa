import { RotateCcw } from 'lucide-react';
import { useState } from 'react';
import type { CallAnswer } from '#contract/client.ts';
import { visibleText } from '../../../../visible.ts';
import { useApi, useApiChange } from '../../../api.ts';
import { useFormats } from '../../../formats.ts';
import { useText } from '../../../texts.ts';
import { announce } from '../../../ui/announcer.tsx';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Muted, Stack } from '../../../ui/layout.tsx';
import { Loaded, ProblemNotice } from '../../../ui/states.tsx';
import { useSettingNames } from '../../parts/setting-names.ts';
import type { Draft } from './draft.ts';

type Entry = CallAnswer<'listGroupHistory'>['history'][number];

interface Props {
  draft: Draft;
  mayChange: boolean;
  onClose: () => void;
}

export function HistoryDialog({ draft, mayChange, onClose }: Props) {
  const text = useText('admin/group-editor');
  const [after, setAfter] = useState<string | undefined>(undefined);
  const query = useApi('listGroupHistory', {
    params: { id: draft.base.id },
    query: after === undefined ? {} : { after },
  });
  const change = useApiChange('restoreGroup', ['admin']);
  const restoreEntry = (entry: number) =>
    change.mutate(
      { params: { id: draft.base.id }, body: { restore: { entry, version: draft.base.version } } },
      {
        onSuccess({ group }) {
          draft.rebase(group, draft.changes);
          announce(text('restored'));
          onClose();
        },
      },
    );
  return (
    <Dialog title={text('history')} onClose={onClose} actions={<Button onClick={onClose}>{text('close')}</Button>}>
      <Loaded query={query}>
        {({ history, next }) => (
          <Stack gap={16}>
            {history.length === 0 ? <p>{text('historyEmpty')}</p> : null}
            {history.map((entry) => (
              <EntryOf key={entry.id} entry={entry} onRestore={mayChange ? () => restoreEntry(entry.id) : null} />
            ))}
            {next === null ? null : <Button onClick={() => setAfter(next)}>{text('more')}</Button>}
          </Stack>
        )}
      </Loaded>
      <ProblemNotice error={change.error} />
    </Dialog>
  );
}

function EntryOf({ entry, onRestore }: { entry: Entry; onRestore: (() => void) | null }) {
  const text = useText('admin/group-editor');
  const formats = useFormats();
  const { nameOf, valueText } = useSettingNames();
  const isNew = entry.action === 'created';
  return (
    <section>
      <Muted>{formats.shortDate(formats.dayOf(entry.at))}</Muted>
      <p>{text(isNew ? 'historyCreated' : 'historyBy', { name: visibleText(entry.by) })}</p>
      {isNew ? null : (
        <Stack as="ul" gap={4}>
          {entry.changes.map(({ setting, from, to }) => (
            <li key={setting}>
              {text('change', {
                setting: nameOf(setting),
                from: valueText(setting, from),
                to: valueText(setting, to),
              })}
            </li>
          ))}
        </Stack>
      )}
      {isNew || onRestore === null ? null : (
        <Button size="small" variant="quiet" icon={RotateCcw} onClick={onRestore}>
          {text('restore')}
        </Button>
      )}
    </section>
  );
}

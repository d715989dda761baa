import { useState } from 'react';
import { visibleText } from '../../../../visible.ts';
import { useApi } from '../../../api.ts';
import { useText } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Select } from '../../../ui/choice.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Stack } from '../../../ui/layout.tsx';
import { PlainTable } from '../../../ui/plain-table.tsx';
import { Loaded } from '../../../ui/states.tsx';
import { type Draft, type GroupBody, isSame } from './draft.ts';
import { useSettingNames } from './setting-names.ts';
import { isMeaningless, keysOf, sections } from './settings.ts';

const identity = ['name', 'is_local', 'role', 'match_domains'];

interface Props {
  draft: Draft;
  mayChange: boolean;
  onClose: () => void;
}

export function CompareDialog({ draft, mayChange, onClose }: Props) {
  const text = useText('admin/group-editor');
  const query = useApi('listGroups', {});
  const [otherId, setOtherId] = useState<string | null>(null);
  const others = (query.data?.groups ?? []).filter(({ id }) => id !== draft.base.id);
  const other = others.find(({ id }) => id === otherId);
  return (
    <Dialog title={text('compare')} onClose={onClose} actions={<Button onClick={onClose}>{text('close')}</Button>}>
      <Loaded query={query}>
        {() => (
          <Select
            label={text('compareWith')}
            value={otherId}
            choices={others.map(({ id, name }) => ({ value: id, label: visibleText(name) }))}
            onChange={setOtherId}
          />
        )}
      </Loaded>
      {other === undefined ? null : <Differences draft={draft} other={other} mayChange={mayChange} />}
    </Dialog>
  );
}

function Differences({ draft, other, mayChange }: { draft: Draft; other: GroupBody; mayChange: boolean }) {
  const text = useText('admin/group-editor');
  const { nameOf, valueText } = useSettingNames();
  const keys = sections
    .flatMap(({ rows }) => rows.flatMap(keysOf))
    .filter((key) => !identity.includes(key) && !isSame(draft.value(key), other[key]))
    .filter((key) => !isMeaningless(key, draft.value('is_local') === true));
  if (keys.length === 0) return <p>{text('compareSame')}</p>;
  return (
    <>
      <PlainTable
        caption={visibleText(other.name)}
        headers={[text('setting'), visibleText(draft.base.name), visibleText(other.name)]}
        rows={keys.map((key) => ({
          id: key,
          cells: [
            nameOf(key),
            valueText(key, draft.value(key)),
            <Stack key="other" gap={4}>
              {valueText(key, other[key])}
              {mayChange ? (
                <Button size="small" onClick={() => draft.set({ [key]: other[key] })}>
                  {text('copyOne', { setting: nameOf(key) })}
                </Button>
              ) : null}
            </Stack>,
          ],
        }))}
      />
      {mayChange ? (
        <div>
          <Button onClick={() => draft.set(Object.fromEntries(keys.map((key) => [key, other[key]])))}>
            {text('copyAll')}
          </Button>
        </div>
      ) : null}
    </>
  );
}

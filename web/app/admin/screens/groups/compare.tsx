// Another group beside this one (`?compare=<id>`); differing settings can be copied into the draft.
import { Copy, RotateCcw } from 'lucide-react';
import { visibleText } from '../../../../visible.ts';
import { useApi } from '../../../api.ts';
import { useSearchParams } from '../../../search-params.ts';
import { useText } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Select } from '../../../ui/choice.tsx';
import { Stack } from '../../../ui/layout.tsx';
import { Loaded } from '../../../ui/states.tsx';
import { ConsoleScreen } from '../../parts/console-screen.tsx';
import { isMeaningless, keysOf, sections } from '../../parts/group-settings.ts';
import { useSettingNames } from '../../parts/setting-names.ts';
import { systemAdministrators } from '../../roles.ts';
import classes from './compare.module.css';
import { conflictsIn } from './conflicts.ts';
import { type Draft, type GroupBody, isSame } from './draft.ts';
import { SaveBar } from './save-bar.tsx';

const identity = ['name', 'is_local', 'role', 'match_domains', 'match_groups'];

interface Props {
  draft: Draft;
  otherId: string;
  mayChange: boolean;
}

export function Compare({ draft, otherId, mayChange }: Props) {
  const text = useText('admin/group-editor');
  const query = useApi('listGroups', {});
  const { change } = useSearchParams();
  const isPossible = Object.keys(conflictsIn(draft.value)).length === 0;
  return (
    <ConsoleScreen
      changers={systemAdministrators}
      title={text('compareTitle', { name: visibleText(draft.base.name) })}
      lead={text('compareLead')}
      back={{ to: '/admin/groups/$id', label: visibleText(draft.base.name) }}
    >
      <Loaded query={query}>
        {({ groups }) => {
          const others = groups.filter(({ id }) => id !== draft.base.id);
          const other = others.find(({ id }) => id === otherId);
          return (
            <Stack gap={16}>
              <div className={classes.with}>
                <Select
                  label={text('compareWith')}
                  placeholder={text('compareChoose')}
                  value={other?.id ?? null}
                  choices={others.map(({ id, name }) => ({ value: id, label: visibleText(name) }))}
                  onChange={(id) => change({ compare: id })}
                />
              </div>
              {other === undefined ? null : <Differences draft={draft} other={other} mayChange={mayChange} />}
              {mayChange ? <SaveBar draft={draft} isPossible={isPossible} /> : null}
            </Stack>
          );
        }}
      </Loaded>
    </ConsoleScreen>
  );
}

interface DifferencesProps {
  draft: Draft;
  other: GroupBody;
  mayChange: boolean;
}

function Differences({ draft, other, mayChange }: DifferencesProps) {
  const text = useText('admin/group-editor');
  const differs = (key: string) => !isSame(draft.value(key), other[key]);
  const isShown = (key: string) =>
    !identity.includes(key) &&
    !isMeaningless(key, draft.value('is_local') === true) &&
    // Copied settings stay listed, so that they can be undone.
    (differs(key) || !isSame(draft.base[key], other[key]));
  const shown = sections
    .map(({ id, label, rows }) => ({ id, label, keys: rows.flatMap(keysOf).filter(isShown) }))
    .filter(({ keys }) => keys.length > 0);
  const left = shown.flatMap(({ keys }) => keys).filter(differs);
  return (
    <>
      <div className={classes.summary}>
        <p aria-live="polite">{text('compareCount', { n: left.length })}</p>
        {mayChange && left.length > 0 ? (
          <Button onClick={() => draft.set(Object.fromEntries(left.map((key) => [key, other[key]])))}>
            {text('copyAll')}
          </Button>
        ) : null}
      </div>
      {shown.length === 0 ? null : (
        <Card isFlush>
          <table className={classes.table}>
            <caption className="visually-hidden">
              {text('compareTitle', { name: visibleText(draft.base.name) })}
            </caption>
            <thead>
              <tr>
                <th scope="col">{text('setting')}</th>
                <th scope="col">{visibleText(draft.base.name)}</th>
                <th scope="col">{visibleText(other.name)}</th>
                {mayChange ? (
                  <th scope="col">
                    <span className="visually-hidden">{text('actions')}</span>
                  </th>
                ) : null}
              </tr>
            </thead>
            {shown.map(({ id, label, keys }) => (
              <tbody key={id}>
                <tr className={classes.section}>
                  <th scope="rowgroup" colSpan={mayChange ? 4 : 3}>
                    {text(label)}
                  </th>
                </tr>
                {keys.map((key) => (
                  <Difference key={key} name={key} draft={draft} other={other} mayChange={mayChange} />
                ))}
              </tbody>
            ))}
          </table>
        </Card>
      )}
    </>
  );
}

function Difference({ name, draft, other, mayChange }: DifferencesProps & { name: string }) {
  const text = useText('admin/group-editor');
  const { nameOf, valueText } = useSettingNames();
  const isChanged = Object.hasOwn(draft.changes, name);
  const setting = nameOf(name);
  return (
    <tr data-changed={isChanged}>
      <th scope="row">{setting}</th>
      <td data-group={visibleText(draft.base.name)}>
        {isChanged ? <del>{valueText(name, draft.base[name])}</del> : null}
        {isChanged ? ' ' : null}
        {isChanged ? <ins>{valueText(name, draft.value(name))}</ins> : valueText(name, draft.value(name))}
      </td>
      <td data-group={visibleText(other.name)}>{valueText(name, other[name])}</td>
      {mayChange ? (
        <td>
          {isChanged ? (
            <Button
              size="small"
              variant="quiet"
              icon={RotateCcw}
              aria-label={text('undoOne', { setting })}
              onClick={() => draft.undo([name])}
            >
              {text('undoThis')}
            </Button>
          ) : (
            <Button
              size="small"
              variant="quiet"
              icon={Copy}
              aria-label={text('copyOne', { setting })}
              onClick={() => draft.set({ [name]: other[name] })}
            >
              {text('copyThis')}
            </Button>
          )}
        </td>
      ) : null}
    </tr>
  );
}

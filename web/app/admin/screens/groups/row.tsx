// One row of the editor: a setting, or a default with the right to change it and its maximum.
import { RotateCcw, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { useText } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Checkbox, RadioGroup, Select, Switch } from '../../../ui/choice.tsx';
import { NumberField, TextArea, TextField } from '../../../ui/field.tsx';
import { Muted, Note } from '../../../ui/layout.tsx';
import { type Draft, isSame } from './draft.ts';
import classes from './groups.module.css';
import { keysOf, levels, type SettingRow } from './settings.ts';
import { useLevelName } from './words.ts';

/** Limits and default of each setting, as the server says. */
export type Limits = Map<string, { min?: number; max?: number; byDefault: unknown }>;

interface Props {
  row: SettingRow;
  draft: Draft;
  limits: Limits;
  problem: string | null;
  warning: string | null;
}

export function Setting({ row, draft, limits, problem, warning }: Props) {
  const text = useText('admin/group-editor');
  const keys = keysOf(row);
  const name = text(row.label);
  const isChanged = keys.some((key) => Object.hasOwn(draft.changes, key));
  const usual = keys.filter((key) => limits.has(key)).map((key) => [key, limits.get(key)!.byDefault] as const);
  const isUsual = usual.every(([key, value]) => isSame(draft.value(key), value));
  return (
    <section className={classes.set} data-changed={isChanged} aria-label={name}>
      <div>
        <strong>{name}</strong>
        {row.help === undefined ? null : <Muted>{text(row.help)}</Muted>}
      </div>
      <Control row={row} draft={draft} limits={limits} />
      {problem === null ? null : (
        <Note icon={TriangleAlert} tone="danger">
          {problem}
        </Note>
      )}
      {warning === null ? null : (
        <Note icon={TriangleAlert} tone="warning">
          {warning}
        </Note>
      )}
      {usual.length === 0 || isUsual ? null : (
        <div>
          <Button variant="quiet" size="small" icon={RotateCcw} onClick={() => draft.set(Object.fromEntries(usual))}>
            {text('useDefault')}
            <span className="visually-hidden">: {name}</span>
          </Button>
        </div>
      )}
    </section>
  );
}

type ControlProps = Pick<Props, 'row' | 'draft' | 'limits'>;

function Control({ row, draft, limits }: ControlProps) {
  const text = useText('admin/group-editor');
  switch (row.is) {
    case 'flag':
      return <Flag draft={draft} name={row.key} label={text('on')} />;
    case 'number':
      return <Amount draft={draft} limits={limits} name={row.key} label={text(row.unit)} />;
    case 'joined-number':
      return (
        <div className={classes.controls}>
          <Amount draft={draft} limits={limits} name={row.key} label={`${text('partDefault')} (${text(row.unit)})`} />
          <Amount draft={draft} limits={limits} name={row.most} label={`${text('partMost')} (${text(row.unit)})`} />
          <Flag draft={draft} name={row.change} label={text('partChange')} />
        </div>
      );
    case 'joined-flag':
      return (
        <div className={classes.controls}>
          <Flag draft={draft} name={row.key} label={text('partDefault')} />
          <Flag draft={draft} name={row.change} label={text('partChange')} />
        </div>
      );
    case 'choice':
      return <OneOf row={row} draft={draft} />;
    case 'levels':
      return <Levels row={row} draft={draft} />;
    case 'json':
      return <JsonText row={row} draft={draft} />;
    default:
      return <Line row={row} draft={draft} />;
  }
}

function Flag({ draft, name, label }: { draft: Draft; name: string; label: string }) {
  return <Switch label={label} checked={draft.value(name) === true} onChange={(isOn) => draft.set({ [name]: isOn })} />;
}

function Amount({ draft, limits, name, label }: { draft: Draft; limits: Limits; name: string; label: string }) {
  const { min = 0, max } = limits.get(name) ?? {};
  return (
    <div className={classes.number}>
      <NumberField
        label={label}
        value={draft.value(name) as number | null}
        min={min}
        max={max}
        // An emptied field is what it was, until a number is in it.
        onChange={(value) => draft.set({ [name]: value ?? draft.base[name] })}
      />
    </div>
  );
}

function OneOf({ row, draft }: { row: SettingRow & { is: 'choice' }; draft: Draft }) {
  const text = useText('admin/group-editor');
  return (
    <RadioGroup
      label={text(row.label)}
      isLabelHidden
      value={String(draft.value(row.key))}
      onChange={(chosen) =>
        draft.set({
          [row.key]: row.choices.find(({ value }) => String(value) === chosen)?.value,
          // Always off for local people.
          ...(row.key === 'is_local' && chosen === 'true' ? { message_can_send_to_local_users_only: false } : {}),
        })
      }
      choices={row.choices.map(({ value, label }) => ({ value: String(value), label: text(label) }))}
    />
  );
}

function Levels({ row, draft }: { row: SettingRow & { is: 'levels' }; draft: Draft }) {
  const text = useText('admin/group-editor');
  const nameOf = useLevelName();
  return (
    <>
      {levels.map(([level, key]) => (
        <Checkbox
          key={key}
          label={nameOf(level)}
          checked={draft.value(key) === true}
          onChange={(isOn) => draft.set({ [key]: isOn })}
        />
      ))}
      <Select
        label={text('partDefault')}
        value={String(draft.value(row.key))}
        choices={levels.map(([level]) => ({ value: String(level), label: nameOf(level) }))}
        onChange={(level) => draft.set({ [row.key]: Number(level) })}
      />
      <Flag draft={draft} name={row.change} label={text('partChange')} />
    </>
  );
}

/** Text, or a list written with commas. */
function Line({ row, draft }: { row: SettingRow; draft: Draft }) {
  const text = useText('admin/group-editor');
  const value = draft.value(row.key);
  const shown = Array.isArray(value) ? value.join(', ') : String(value ?? '');
  const [typed, setTyped] = useState(shown);
  const [known, setKnown] = useState(shown);
  // Undone, restored or copied from elsewhere.
  if (shown !== known) {
    setKnown(shown);
    if (row.is !== 'list' || listIn(typed).join(', ') !== shown) setTyped(shown);
  }
  return (
    <TextField
      label={text(row.label)}
      value={typed}
      onChange={(words) => {
        setTyped(words);
        draft.set({ [row.key]: row.is === 'list' ? listIn(words) : words });
      }}
    />
  );
}

function listIn(words: string): string[] {
  return words
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

function JsonText({ row, draft }: { row: SettingRow; draft: Draft }) {
  const text = useText('admin/group-editor');
  const value = draft.value(row.key);
  const [typed, setTyped] = useState(value === '' ? '' : JSON.stringify(value, null, 2));
  const [isWrong, setWrong] = useState(false);
  return (
    <TextArea
      label={text(row.label)}
      rows={3}
      value={typed}
      problem={isWrong ? text('jsonWrong') : null}
      onChange={(words) => {
        setTyped(words);
        try {
          draft.set({ [row.key]: words.trim() === '' ? '' : JSON.parse(words) });
          setWrong(false);
        } catch {
          setWrong(true);
        }
      }}
    />
  );
}

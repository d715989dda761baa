import { RotateCcw, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { useFormats } from '../../../formats.ts';
import { useText } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Checkbox, RadioGroup, Select, Switch } from '../../../ui/choice.tsx';
import { NumberField, TextArea, TextField } from '../../../ui/field.tsx';
import { Muted, Note } from '../../../ui/layout.tsx';
import { keysOf, type SettingRow } from '../../parts/group-settings.ts';
import { useLevelName } from '../../parts/setting-names.ts';
import { type Draft, isSame } from './draft.ts';
import classes from './groups.module.css';

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
  const isLine = row.mayChange === undefined && row.most === undefined;
  const isUsual = usual.every(([key, value]) => isSame(draft.value(key), value));
  const reset =
    usual.length === 0 || isUsual ? null : (
      <Button variant="quiet" size="small" icon={RotateCcw} onClick={() => draft.set(Object.fromEntries(usual))}>
        {text('useDefault')}
        <span className="visually-hidden">: {name}</span>
      </Button>
    );
  return (
    <section
      id={`setting-${row.key}`}
      className={classes.set}
      data-changed={isChanged}
      data-inline={isLine && row.control === 'number'}
      aria-label={name}
    >
      {row.control === 'flag' && isLine ? null : (
        <div className={classes.name}>
          <div>
            <strong>{name}</strong>
            {row.help === undefined ? null : <Muted>{text(row.help)}</Muted>}
          </div>
          {isLine ? null : reset}
        </div>
      )}
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
      {isLine && reset !== null ? <div>{reset}</div> : null}
    </section>
  );
}

type ControlProps = Pick<Props, 'row' | 'draft' | 'limits'>;

function Control({ row, draft, limits }: ControlProps) {
  const text = useText('admin/group-editor');
  const { mayChange, most } = row;
  if (mayChange === undefined && most === undefined) return <Value row={row} draft={draft} limits={limits} />;
  return (
    <div className={classes.controls}>
      <Value row={row} draft={draft} limits={limits} label={text('partDefault')} />
      {most === undefined ? null : (
        <Amount row={row} draft={draft} limits={limits} name={most} label={text('partMost')} />
      )}
      {mayChange === undefined ? null : <Flag draft={draft} name={mayChange} label={text('partChange')} />}
    </div>
  );
}

function Value({ row, draft, limits, label }: ControlProps & { label?: string }) {
  const text = useText('admin/group-editor');
  switch (row.control) {
    case 'flag':
      return label === undefined ? (
        <Switch
          label={text(row.label)}
          help={row.help === undefined ? undefined : text(row.help)}
          isLine
          checked={draft.value(row.key) === true}
          onChange={(isOn) => draft.set({ [row.key]: isOn })}
        />
      ) : (
        <Flag draft={draft} name={row.key} label={label} />
      );
    case 'number':
      return <Amount row={row} draft={draft} limits={limits} name={row.key} label={label} />;
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

function Amount({ row, draft, limits, name, label }: ControlProps & { name: string; label: string | undefined }) {
  const text = useText('admin/group-editor');
  const formats = useFormats();
  const { min = 0, max } = limits.get(name) ?? {};
  const unit = row.unit === undefined ? '' : text(row.unit);
  const value = draft.value(name) as number | null;
  const size = row.unit === 'megabytes' && value !== null && value >= 1024 ? formats.size(value * 1024 * 1024) : null;
  const field = (
    <NumberField
      label={label === undefined ? unit : `${label} (${unit})`}
      isLabelHidden={label === undefined}
      value={value}
      min={min}
      max={max}
      // An empty field keeps the old value until a number is entered.
      onChange={(next) => draft.set({ [name]: next ?? draft.base[name] })}
    />
  );
  if (label !== undefined) return <div className={classes.number}>{field}</div>;
  return (
    <div className={classes.amount}>
      {field}
      <span aria-hidden="true">{unit}</span>
      {size === null ? null : <span>({size})</span>}
    </div>
  );
}

function OneOf({ row, draft }: { row: SettingRow; draft: Draft }) {
  const text = useText('admin/group-editor');
  return (
    <div className={classes.choices}>
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
    </div>
  );
}

function Levels({ row, draft }: { row: SettingRow; draft: Draft }) {
  const text = useText('admin/group-editor');
  const nameOf = useLevelName();
  return (
    <>
      {row.offers.map(({ value, key }) => (
        <Checkbox
          key={key}
          label={nameOf(value)}
          checked={draft.value(key) === true}
          onChange={(isOn) => draft.set({ [key]: isOn })}
        />
      ))}
      <Select
        label={text('partDefault')}
        value={String(draft.value(row.key))}
        choices={row.offers.map(({ value }) => ({ value: String(value), label: nameOf(value) }))}
        onChange={(level) => draft.set({ [row.key]: Number(level) })}
      />
    </>
  );
}

/** Text, or a list: with commas, or with semicolons because DNs contain commas. */
function Line({ row, draft }: { row: SettingRow; draft: Draft }) {
  const text = useText('admin/group-editor');
  const value = draft.value(row.key);
  const separator = row.control === 'list' ? ',' : row.control === 'names' ? ';' : null;
  const shown = Array.isArray(value) ? value.join(`${separator} `) : String(value ?? '');
  const [typed, setTyped] = useState(shown);
  const [known, setKnown] = useState(shown);
  // Changed by undo, restore or copy.
  if (shown !== known) {
    setKnown(shown);
    if (separator === null || listIn(typed, separator).join(`${separator} `) !== shown) setTyped(shown);
  }
  return (
    <TextField
      label={text(row.label)}
      isLabelHidden
      value={typed}
      onChange={(value) => {
        setTyped(value);
        draft.set({ [row.key]: separator === null ? value : listIn(value, separator) });
      }}
    />
  );
}

function listIn(value: string, separator: string): string[] {
  return value
    .split(separator)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

function JsonText({ row, draft }: { row: SettingRow; draft: Draft }) {
  const text = useText('admin/group-editor');
  const value = draft.value(row.key);
  const [typed, setTyped] = useState(value === '' ? '' : JSON.stringify(value, null, 2));
  const [isWrong, setWrong] = useState(false);
  return (
    <TextArea
      label={text(row.label)}
      isLabelHidden
      rows={3}
      value={typed}
      problem={isWrong ? text('jsonWrong') : null}
      onChange={(value) => {
        setTyped(value);
        try {
          draft.set({ [row.key]: value.trim() === '' ? '' : JSON.parse(value) });
          setWrong(false);
        } catch {
          setWrong(true);
        }
      }}
    />
  );
}

import { useText } from '../../../texts.ts';
import { Checkbox, RadioGroup } from '../../../ui/choice.tsx';
import { Stack } from '../../../ui/layout.tsx';
import { Notice } from '../../../ui/states.tsx';
import { useAreaName, useVerbName } from '../../parts/event-names.ts';
import classes from './webhooks.module.css';

interface Props {
  /** All kinds that exist. */
  kinds: readonly string[];
  /** `['*']` for all. */
  value: readonly string[];
  onChange: (value: string[]) => void;
  problem: string | null;
}

const areaOf = (kind: string) => kind.split('.')[0] ?? '';

export function KindsField({ kinds, value, onChange, problem }: Props) {
  const text = useText('admin/webhooks');
  const areaName = useAreaName();
  const isAll = value.includes('*');
  const areas = [...Map.groupBy(kinds, areaOf)]
    .map(([area, own]) => ({ area, own, name: areaName(area) }))
    .sort((one, other) => one.name.localeCompare(other.name));
  return (
    <Stack gap={12}>
      <RadioGroup
        label={text('kinds')}
        value={isAll ? 'all' : 'some'}
        onChange={(chosen) => onChange(chosen === 'all' ? ['*'] : [])}
        choices={[
          { value: 'all', label: text('kindsAll') },
          { value: 'some', label: text('kindsSome') },
        ]}
      />
      {isAll ? null : (
        <div className={classes.areas}>
          {areas.map(({ area, own, name }) => (
            <Area key={area} name={name} kinds={own} value={value} onChange={onChange} />
          ))}
        </div>
      )}
      {problem === null ? null : <Notice tone="danger">{problem}</Notice>}
    </Stack>
  );
}

/** Chosen as a whole; then single kinds can be left out. */
function Area({ name, kinds, value, onChange }: Omit<Props, 'problem'> & { name: string }) {
  const verbName = useVerbName();
  const chosen = kinds.filter((kind) => value.includes(kind));
  const toggle = (some: readonly string[], isOn: boolean) =>
    onChange([...value.filter((kind) => !some.includes(kind)), ...(isOn ? some : [])]);
  return (
    <Stack gap={8}>
      <Checkbox
        label={name}
        checked={chosen.length === kinds.length}
        isPartly={chosen.length > 0 && chosen.length < kinds.length}
        onChange={(isOn) => toggle(kinds, isOn)}
      />
      {chosen.length === 0 || kinds.length === 1 ? null : (
        <div className={classes.verbs}>
          {kinds.map((kind) => (
            <Checkbox
              key={kind}
              label={verbName(kind)}
              checked={value.includes(kind)}
              onChange={(isOn) => toggle([kind], isOn)}
            />
          ))}
        </div>
      )}
    </Stack>
  );
}

import { type GroupSetting, groupSettings } from '#contract/group-settings.ts';
import { durationIn } from '#language/durations.ts';
import { visibleText } from '../../../visible.ts';
import { useFormats } from '../../formats.ts';
import { useText } from '../../texts.ts';
import { rowOf } from './group-settings.ts';

interface SettingNames {
  nameOf(key: string): string;
  valueText(key: string, value: unknown): string;
}

export function useSettingNames(): SettingNames {
  const text = useText('admin/group-editor');
  const level = useLevelName();
  const amountOf = useAmount();
  return {
    nameOf(key) {
      const row = rowOf(key);
      // A setting of a newer server.
      if (row === undefined) return key;
      const name = text(row.label);
      const offer = row.offers.find((one) => one.key === key);
      if (offer !== undefined) return `${name}: ${level(offer.value)}`;
      if (key === row.mayChange) return `${name}: ${text('partChange')}`;
      if (key === row.most) return `${name}: ${text('partMost')}`;
      return name;
    },
    valueText(key, value) {
      const row = rowOf(key);
      if (row?.control === 'levels' && key === row.key) return level(Number(value));
      if (row?.control === 'choice') {
        const choice = row.choices.find((one) => one.value === value);
        if (choice !== undefined) return text(choice.label);
      }
      if (typeof value === 'boolean') return text(value ? 'on' : 'off');
      if (typeof value === 'number') return amountOf(key, value);
      const written = Array.isArray(value)
        ? value.join(', ')
        : typeof value === 'string'
          ? value
          : JSON.stringify(value);
      return written === '' || value === null || value === undefined ? text('empty') : visibleText(written);
    },
  };
}

/** `30 days`, `5 GB`, `no limit`. */
function useAmount(): (key: string, value: number) => string {
  const text = useText('admin/group-editor');
  const formats = useFormats();
  return (key, value) => {
    const setting: GroupSetting | undefined = groupSettings[key as keyof typeof groupSettings];
    if (setting?.kind !== 'number') return formats.number(value);
    if (value === 0 && setting.zero !== undefined) return text(setting.zero === 'never' ? 'never' : 'noLimit');
    if (setting.unit === 'MB') return formats.size(value * 1024 * 1024);
    if (setting.unit === 'days' || setting.unit === 'hours')
      return durationIn(formats.locale, value, setting.unit === 'days' ? 'day' : 'hour');
    return formats.number(value);
  };
}

/** Uses the texts of the account screen. */
export function useLevelName(): (level: number) => string {
  const text = useText('account');
  return (level) => text(`level${level as 0 | 1 | 2 | 3 | 4}`);
}

import { visibleText } from '../../../../visible.ts';
import { type TextKey, useText } from '../../../texts.ts';
import { rowOf } from './settings.ts';

interface SettingNames {
  nameOf(key: string): string;
  valueText(key: string, value: unknown): string;
}

export function useSettingNames(): SettingNames {
  const text = useText('admin/group-editor');
  const level = useLevelName();
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
      if (typeof value === 'number') return unitOf(row, value, text);
      const written = Array.isArray(value)
        ? value.join(', ')
        : typeof value === 'string'
          ? value
          : JSON.stringify(value);
      return written === '' || value === null || value === undefined ? text('empty') : visibleText(written);
    },
  };
}

function unitOf(
  row: ReturnType<typeof rowOf>,
  value: number,
  text: (key: TextKey<'admin/group-editor'>) => string,
): string {
  return row?.unit !== undefined ? `${value} ${text(row.unit)}` : String(value);
}

/** Uses the texts of the account screen. */
export function useLevelName(): (level: number) => string {
  const text = useText('account');
  return (level) => text(`level${level as 0 | 1 | 2 | 3 | 4}`);
}

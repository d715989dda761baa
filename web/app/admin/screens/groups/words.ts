// What settings and their values are called, in reviews, histories and comparisons.
import { visibleText } from '../../../../visible.ts';
import { type TextKey, useText } from '../../../texts.ts';
import { rowOf } from './settings.ts';

interface SettingWords {
  nameOf(key: string): string;
  wordsOf(key: string, value: unknown): string;
}

export function useSettingWords(): SettingWords {
  const text = useText('admin/group-editor');
  const level = useLevelName();
  return {
    nameOf(key) {
      const row = rowOf(key);
      // A setting that is newer than this page, or gone.
      if (row === undefined) return key;
      const name = text(row.label);
      if (row.is === 'levels' && key !== row.key && key !== row.change) return `${name}: ${level(levelOffered(key))}`;
      if ('change' in row && key === row.change) return `${name}: ${text('partChange')}`;
      if ('most' in row && key === row.most) return `${name}: ${text('partMost')}`;
      return name;
    },
    wordsOf(key, value) {
      const row = rowOf(key);
      if (row?.is === 'levels' && key === row.key) return level(Number(value));
      if (row?.is === 'choice') {
        const choice = row.choices.find((one) => one.value === value);
        if (choice !== undefined) return text(choice.label);
      }
      if (typeof value === 'boolean') return text(value ? 'on' : 'off');
      if (typeof value === 'number') return unitOf(row, value, text);
      const words = Array.isArray(value) ? value.join(', ') : typeof value === 'string' ? value : JSON.stringify(value);
      return words === '' || value === null || value === undefined ? text('empty') : visibleText(words);
    },
  };
}

function unitOf(
  row: ReturnType<typeof rowOf>,
  value: number,
  text: (key: TextKey<'admin/group-editor'>) => string,
): string {
  return row !== undefined && 'unit' in row ? `${value} ${text(row.unit)}` : String(value);
}

const offered: Record<string, 0 | 1 | 2 | 3 | 4> = {
  message_can_use_specified_recipients: 3,
  message_can_use_specified_recipients_and_domains: 4,
  message_can_use_specified_recipients_and_local: 2,
  message_can_use_anyone_with_auth: 1,
  message_can_use_anyone: 0,
};

function levelOffered(key: string): number {
  return offered[key] ?? 3;
}

/** The choices of who can open a message, in the words of Account. */
export function useLevelName(): (level: number) => string {
  const text = useText('account');
  return (level) => text(`level${level as 0 | 1 | 2 | 3 | 4}`);
}

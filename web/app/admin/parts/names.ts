// Names of kinds for people. A kind of a newer server shows its identifier. Routes load `admin/names`.
import { useFormats } from '../../formats.ts';
import { type Text, useText } from '../../texts.ts';
import { rowOf } from './group-settings.ts';
import { useSettingNames } from './setting-names.ts';

export function useMailKindName(): (kind: string) => string {
  const text = useText('admin/names');
  return (kind) => named(text, `mail_${kind}`) ?? kind;
}

export function useJobName(): (job: string) => string {
  const text = useText('admin/names');
  return (job) => named(text, `job_${job}`) ?? job;
}

export function useObjectKindName(): (kind: string) => string {
  const text = useText('admin/names');
  return (kind) => named(text, `object_${kind}`) ?? kind;
}

interface ValueNames {
  nameOf(key: string): string;
  valueText(key: string, value: unknown): string;
}

/** Changed fields: settings of groups, and properties of people, branding, templates and transfers. */
export function useFieldNames(): ValueNames {
  const text = useText('admin/names');
  const settings = useSettingNames();
  const value = useValueText();
  return {
    // `addresses.email` is named like `email`.
    nameOf: (key) => named(text, `field_${key.split('.').at(-1)}`) ?? settings.nameOf(key),
    valueText: (key, one) => (rowOf(key) === undefined ? value(key, one) : settings.valueText(key, one)),
  };
}

/** Facts of an event; null for a technical one. */
export function useFactNames(): { nameOf(key: string): string | null; valueText(key: string, value: unknown): string } {
  const text = useText('admin/names');
  return { nameOf: (key) => named(text, `fact_${key}`), valueText: useValueText() };
}

function useValueText(): (key: string, value: unknown) => string {
  const text = useText('admin/names');
  const formats = useFormats();
  const settings = useSettingNames();
  return (key, value) => {
    if (value === null || value === '') return '–';
    if (typeof value === 'boolean') return text(value ? 'yes' : 'no');
    if (key === 'authorization') return settings.valueText('message_default_authorization', value);
    if (typeof value === 'number')
      return key === 'size' || key === 'bytes' ? formats.size(value) : formats.number(value);
    if (Array.isArray(value)) return formats.list(value.map(String), 'unit');
    if (typeof value !== 'string') return JSON.stringify(value) ?? '';
    return /^\d{4}-\d{2}-\d{2}$/.test(value) ? formats.date(value) : value;
  };
}

function named(text: Text<'admin/names'>, key: string): string | null {
  return text.has(key) ? text(key) : null;
}

import type { AppLogFiguresBody } from '#contract/app/downloads.ts';
import { visibleText } from '../../../visible.ts';
import { useApi } from '../../api.ts';
import { type TextKey, useLocale, useText } from '../../texts.ts';
import type { Choice } from '../../ui/choice.tsx';
import { FilterBar } from '../../ui/filters.tsx';
import { countryName, type Scope } from './scope.ts';

const devices: Record<string, TextKey<'downloads'>> = {
  desktop: 'desktop',
  mobile: 'mobile',
  tablet: 'tablet',
  tv: 'tv',
  bot: 'bot',
  unknown: 'unknownDevice',
  '': 'unknownDevice',
};

/** An unknown kind as it is. */
export function useDeviceName(): (device: string) => string {
  const text = useText('downloads');
  return (device) => (devices[device] === undefined ? visibleText(device) : text(devices[device]));
}

export function Filters({ scope, statistics }: { scope: Scope; statistics: AppLogFiguresBody | undefined }) {
  const text = useText('downloads');
  const locale = useLocale();
  const deviceName = useDeviceName();
  const { list } = scope;
  const { file, country, device, person } = list.filters;
  const source = useSourceName(scope);
  const files = (statistics?.top_files ?? []).map((one) => ({
    value: one.attachment_id,
    label: visibleText(one.filename),
  }));
  const countries = (statistics?.per_country ?? []).map(({ country_code: code, country_name: name }) => ({
    value: code,
    label: countryName(locale, code, name),
  }));
  if (statistics === undefined || statistics.without_location > 0)
    countries.push({ value: 'unknown', label: text('unknownCountry') });
  const used = (statistics?.devices ?? []).map((one) => ({ value: one.device, label: deviceName(one.device) }));
  return (
    <FilterBar
      list={list}
      filters={[
        {
          name: 'person',
          label: text('person'),
          hint: text('personHint'),
          ...(person === 'unknown' ? { isFixed: true, valueLabel: text('someone') } : { isMain: true }),
        },
        { name: 'file', label: text('file'), choices: withChosen(files, file, text('oneFile')) },
        {
          name: 'country',
          label: text('country'),
          choices: withChosen(countries, country, countryName(locale, country ?? '', country ?? '')),
        },
        { name: 'device', label: text('device'), choices: withChosen(used, device, deviceName(device ?? '')) },
        { name: 'message', label: '', isFixed: true, valueLabel: source ?? text('onlyMessage') },
        { name: 'link', label: '', isFixed: true, valueLabel: source ?? text('onlyLink') },
      ]}
    />
  );
}

/** Taken from the list. */
function useSourceName(scope: Scope): string | undefined {
  const text = useText('downloads');
  const { data, isPlaceholderData } = useApi('listAppLog', { query: scope.pageQuery }, { keepsLast: true });
  const [line] = data?.items ?? [];
  if (line === undefined || isPlaceholderData) return undefined;
  return visibleText(line.source_name) || text('noSubject');
}

/** Keeps the selected choice when nothing matches. */
function withChosen(choices: Choice<string>[], chosen: string | undefined, label: string): Choice<string>[] {
  const isMissing = chosen !== undefined && !choices.some(({ value }) => value === chosen);
  return isMissing ? [...choices, { value: chosen, label }] : choices;
}

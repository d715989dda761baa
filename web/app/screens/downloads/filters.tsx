import type { AppLogFiguresBody } from '#contract/app/downloads.ts';
import { visibleText } from '../../../visible.ts';
import { useApi } from '../../api.ts';
import { type TextKey, useLocale, useText } from '../../texts.ts';
import type { Choice } from '../../ui/choice.tsx';
import { FilterPanel } from '../../ui/filter-panel.tsx';
import { FilterChip, FilterChoice, FilterText } from '../../ui/filters.tsx';
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
  const { file, country, device, message, link, person } = list.filters;
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
    <FilterPanel list={list}>
      <FilterText list={list} name="person" label={text('person')} hint={text('personHint')} />
      <FilterChoice
        list={list}
        name="file"
        label={text('file')}
        allLabel={text('allFiles')}
        choices={withChosen(files, file, text('oneFile'))}
      />
      <FilterChoice
        list={list}
        name="country"
        label={text('country')}
        allLabel={text('allCountries')}
        choices={withChosen(countries, country, countryName(locale, country ?? '', country ?? ''))}
      />
      <FilterChoice
        list={list}
        name="device"
        label={text('device')}
        allLabel={text('allDevices')}
        choices={withChosen(used, device, deviceName(device ?? ''))}
      />
      {message === undefined ? null : (
        <FilterChip list={list} name="message" label={source === undefined ? text('onlyMessage') : source} />
      )}
      {link === undefined ? null : (
        <FilterChip list={list} name="link" label={source === undefined ? text('onlyLink') : source} />
      )}
      {person === 'unknown' ? <FilterChip list={list} name="person" label={text('someone')} /> : null}
    </FilterPanel>
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

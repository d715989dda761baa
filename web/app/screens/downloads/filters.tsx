// What narrows the log: person, file, country, device; and one message or link, which other screens ask for by their id.
import { X } from 'lucide-react';
import { type FormEvent, useRef } from 'react';
import type { AppLogFiguresBody } from '#contract/app/downloads.ts';
import { visibleText } from '../../../visible.ts';
import { type TextKey, useLocale, useText } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { type Choice, Select } from '../../ui/choice.tsx';
import { TextField } from '../../ui/field.tsx';
import classes from './downloads.module.css';
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

/** A kind of device in words; one that is new to us as it is. */
export function useDeviceName(): (device: string) => string {
  const text = useText('downloads');
  return (device) => (devices[device] === undefined ? visibleText(device) : text(devices[device]));
}

export function Filters({ scope, figures }: { scope: Scope; figures: AppLogFiguresBody | undefined }) {
  const text = useText('downloads');
  const locale = useLocale();
  const deviceName = useDeviceName();
  const { list } = scope;
  const { file, country, device } = list.filters;
  const choose = (name: string) => (value: string) => list.filter({ [name]: value === 'all' ? undefined : value });
  const countries = [
    ...(figures?.per_country ?? []).map(({ country_code: code, country_name: name }) => ({
      value: code,
      label: countryName(locale, code, name),
    })),
    ...(figures === undefined || figures.without_location > 0
      ? [{ value: 'unknown', label: text('unknownCountry') }]
      : []),
  ];
  return (
    <>
      <div className={classes.filters}>
        <PersonFilter scope={scope} />
        <Select
          label={text('file')}
          value={file ?? 'all'}
          onChange={choose('file')}
          choices={withAll(
            text('allFiles'),
            (figures?.top_files ?? []).map(({ attachment_id: value, filename }) => ({
              value,
              label: visibleText(filename),
            })),
            file === undefined ? null : { value: file, label: text('oneFile') },
          )}
        />
        <Select
          label={text('country')}
          value={country ?? 'all'}
          onChange={choose('country')}
          isSearchable={countries.length > 10}
          choices={withAll(
            text('allCountries'),
            countries,
            country === undefined ? null : { value: country, label: countryName(locale, country, country) },
          )}
        />
        <Select
          label={text('device')}
          value={device ?? 'all'}
          onChange={choose('device')}
          choices={withAll(
            text('allDevices'),
            (figures?.devices ?? []).map((one) => ({ value: one.device, label: deviceName(one.device) })),
            device === undefined ? null : { value: device, label: deviceName(device) },
          )}
        />
      </div>
      {list.isFiltered ? <Chips scope={scope} /> : null}
    </>
  );
}

/** The chosen one stays in the list, also when nothing else matches. */
function withAll(all: string, choices: Choice<string>[], chosen: Choice<string> | null): Choice<string>[] {
  const isMissing = chosen !== null && !choices.some(({ value }) => value === chosen.value);
  return [{ value: 'all', label: all }, ...choices, ...(isMissing ? [chosen] : [])];
}

function PersonFilter({ scope: { list } }: { scope: Scope }) {
  const text = useText('downloads');
  const input = useRef<HTMLInputElement>(null);
  const { person = '' } = list.filters;
  const apply = (event: FormEvent) => {
    event.preventDefault();
    list.filter({ person: input.current?.value.trim().toLowerCase() });
  };
  return (
    <form onSubmit={apply}>
      <TextField
        key={person}
        ref={input}
        type="search"
        label={text('person')}
        placeholder={text('personHint')}
        defaultValue={person === 'unknown' ? '' : person}
        autoComplete="off"
        action={<Button type="submit">{text('apply')}</Button>}
      />
    </form>
  );
}

/** Filters that no control shows, and one press for all of them. */
function Chips({ scope: { list } }: { scope: Scope }) {
  const text = useText('downloads');
  const { message, link, person } = list.filters;
  const chips = [
    ...(message === undefined ? [] : [{ name: 'message', label: text('onlyMessage') }]),
    ...(link === undefined ? [] : [{ name: 'link', label: text('onlyLink') }]),
    ...(person === 'unknown' ? [{ name: 'person', label: text('someone') }] : []),
  ];
  return (
    <div className={classes.chips}>
      {chips.map(({ name, label }) => (
        <Button
          key={name}
          size="small"
          icon={X}
          aria-label={text('removeFilter', { name: label })}
          onClick={() => list.filter({ [name]: undefined })}
        >
          {label}
        </Button>
      ))}
      <Button size="small" variant="quiet" onClick={list.clear}>
        {text('clearFilters')}
      </Button>
    </div>
  );
}

// Choices apply immediately; typed text is saved with Save.

import { type FormEvent, useState } from 'react';
import type { ProfileBody } from '#contract/app/account.ts';
import { firstShipped } from '#language/locale.ts';
import { languageName } from '../../../formats.ts';
import { useApi, useApiChange } from '../../api.ts';
import { fetchFile } from '../../lazy-files.tsx';
import { useMe } from '../../me.ts';
import { useChosenScheme } from '../../scheme.ts';
import { showShortcuts } from '../../shortcuts.ts';
import { setLocale, useText } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { RadioGroup, Select, Switch } from '../../ui/choice.tsx';
import { TextField } from '../../ui/field.tsx';
import { Muted, Row } from '../../ui/layout.tsx';
import { SavedMark, useSaved } from '../../ui/saved-mark.tsx';
import { Loaded, ProblemNotice, problemAt } from '../../ui/states.tsx';
import classes from './account.module.css';
import { SettingCard, useSetting } from './setting-card.tsx';

export function AccountYou() {
  return (
    <Loaded query={useApi('getProfile', {})} lines={8}>
      {({ profile }) => (
        <>
          <Details profile={profile} />
          <Region profile={profile} />
          <Appearance />
          <Keyboard profile={profile} />
        </>
      )}
    </Loaded>
  );
}

const topics = ['account', 'me'] as const;

function Details({ profile }: { profile: ProfileBody }) {
  const text = useText('account');
  const [name, setName] = useState(profile.name);
  const change = useApiChange('changeProfile', topics);
  const saved = useSaved();
  const save = (event: FormEvent) => {
    event.preventDefault();
    change.mutate({ body: { name } }, { onSuccess: saved.note });
  };
  const problem = problemAt(change.error, 'name');
  return (
    <Card title={text('details')}>
      <form className={classes.form} onSubmit={save}>
        <TextField
          label={text('name')}
          help={text('nameHelp')}
          value={name}
          onChange={setName}
          autoComplete="name"
          problem={problem}
        />
        <Muted>
          {text('signInName')} <strong>{profile.email}</strong>
        </Muted>
        {problem === null ? <ProblemNotice error={change.error} /> : null}
        <Row>
          <Button type="submit" variant="primary" isBusy={change.isPending}>
            {text('save')}
          </Button>
          <SavedMark isShown={saved.isShown} />
        </Row>
      </form>
    </Card>
  );
}

/** Select does not accept an empty value. */
const ofBrowser = 'browser';

function Region({ profile }: { profile: ProfileBody }) {
  const text = useText('account');
  const me = useMe();
  const language = useSetting({
    value: profile.language,
    call: 'changeProfile',
    topics,
    inputOf: (chosen: string) => ({ body: { language: chosen } }),
    onSaved: (chosen) =>
      fetchFile(() => setLocale(chosen === '' ? (firstShipped(navigator.languages) ?? me.language) : chosen)),
  });
  const zone = useSetting({
    value: profile.time_zone,
    call: 'changeProfile',
    topics,
    inputOf: (chosen: string) => ({ body: { time_zone: chosen } }),
  });
  const isSaved = language.isSaved || zone.isSaved;
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <SettingCard title={text('region')} setting={{ isSaved, error: language.error ?? zone.error }}>
      <Select
        label={text('language')}
        help={text('languageHelp')}
        choices={[
          { value: ofBrowser, label: text('languageBrowser') },
          ...profile.languages.map((tag) => ({ value: tag, label: languageName(tag) })),
        ]}
        value={language.shown || ofBrowser}
        onChange={(value) => language.choose(value === ofBrowser ? '' : value)}
      />
      <Select
        label={text('timeZone')}
        help={text('timeZoneHelp', { zone: me.time_zone })}
        choices={[
          { value: ofBrowser, label: text('timeZoneBrowser', { zone: zoneLabel(here) }) },
          ...Intl.supportedValuesOf('timeZone').map((value) => ({ value, label: zoneLabel(value) })),
        ]}
        value={zone.shown || ofBrowser}
        onChange={(value) => zone.choose(value === ofBrowser ? '' : value)}
        isSearchable
      />
    </SettingCard>
  );
}

function zoneLabel(zone: string): string {
  return zone.replaceAll('_', ' ');
}

function Appearance() {
  const text = useText('account');
  const [theme, choose] = useChosenScheme();
  const saved = useSaved();
  return (
    <SettingCard title={text('appearance')} setting={{ isSaved: saved.isShown, error: null }}>
      <RadioGroup
        label={text('theme')}
        value={theme}
        onChange={(value) => {
          choose(value);
          saved.note();
        }}
        choices={[
          { value: 'system', label: text('themeSystem') },
          { value: 'light', label: text('themeLight') },
          { value: 'dark', label: text('themeDark') },
        ]}
      />
    </SettingCard>
  );
}

function Keyboard({ profile }: { profile: ProfileBody }) {
  const text = useText('account');
  const inputOf = (isOn: boolean) => ({ body: { shortcut_keys: isOn } });
  const keys = useSetting({ value: profile.shortcut_keys, call: 'changeProfile', topics, inputOf });
  return (
    <SettingCard title={text('keyboard')} setting={keys}>
      <Switch
        label={text('shortcutKeys')}
        help={text('shortcutKeysHelp')}
        checked={keys.shown}
        onChange={keys.choose}
      />
      <div>
        <Button size="small" onClick={showShortcuts}>
          {text('showShortcuts')}
        </Button>
      </div>
    </SettingCard>
  );
}

// Account: name, language, time zone, theme, keys. What is chosen is in force at once; what is typed waits for Save.
import { type FormEvent, useState } from 'react';
import type { ProfileBody } from '#contract/app/account.ts';
import { firstShipped } from '#language/locale.ts';
import { languageName } from '../../../formats.ts';
import { useApi, useApiChange } from '../../api.ts';
import { useMe } from '../../me.ts';
import { useChosenScheme } from '../../scheme.ts';
import { showShortcuts } from '../../shell/shortcuts.tsx';
import { speak, useText } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { RadioGroup, Select } from '../../ui/choice.tsx';
import { ProblemNotice, problemAt } from '../../ui/error-state.tsx';
import { TextField } from '../../ui/field.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Switch } from '../../ui/switch.tsx';
import classes from './account.module.css';
import { SavedMark, useSaved } from './saved-mark.tsx';

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
  const saved = useSaved<'name'>();
  const save = (event: FormEvent) => {
    event.preventDefault();
    change.mutate({ body: { name } }, { onSuccess: () => saved.note('name') });
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
        <p className={classes.muted}>
          {text('signInName')} <strong>{profile.email}</strong>
        </p>
        {problem === null ? <ProblemNotice error={change.error} /> : null}
        <div className={classes.end}>
          <Button type="submit" variant="primary" isBusy={change.isPending}>
            {text('save')}
          </Button>
          <SavedMark isShown={saved.what === 'name'} />
        </div>
      </form>
    </Card>
  );
}

/** Selects take no empty value; this one stands for it. */
const ofBrowser = 'browser';

function Region({ profile }: { profile: ProfileBody }) {
  const text = useText('account');
  const me = useMe();
  const change = useApiChange('changeProfile', topics);
  const saved = useSaved<'language' | 'time_zone'>();
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const chooseLanguage = (value: string) => {
    const language = value === ofBrowser ? '' : value;
    const done = async () => {
      await speak(language === '' ? (firstShipped(navigator.languages) ?? me.language) : language);
      saved.note('language');
    };
    change.mutate({ body: { language } }, { onSuccess: () => void done() });
  };
  const chooseZone = (value: string) =>
    change.mutate(
      { body: { time_zone: value === ofBrowser ? '' : value } },
      { onSuccess: () => saved.note('time_zone') },
    );
  return (
    <Card title={text('region')} actions={<SavedMark isShown={saved.what !== null} />}>
      <div className={classes.form}>
        <Select
          label={text('language')}
          help={text('languageHelp')}
          choices={[
            { value: ofBrowser, label: text('languageBrowser') },
            ...profile.languages.map((tag) => ({ value: tag, label: languageName(tag) })),
          ]}
          value={profile.language === '' ? ofBrowser : profile.language}
          onChange={chooseLanguage}
        />
        <Select
          label={text('timeZone')}
          help={text('timeZoneHelp', { zone: me.time_zone })}
          choices={[
            { value: ofBrowser, label: text('timeZoneBrowser', { zone: zoneWords(here) }) },
            ...Intl.supportedValuesOf('timeZone').map((zone) => ({ value: zone, label: zoneWords(zone) })),
          ]}
          value={profile.time_zone === '' ? ofBrowser : profile.time_zone}
          onChange={chooseZone}
          isSearchable
        />
        <ProblemNotice error={change.error} />
      </div>
    </Card>
  );
}

function zoneWords(zone: string): string {
  return zone.replaceAll('_', ' ');
}

function Appearance() {
  const text = useText('account');
  const [theme, choose] = useChosenScheme();
  const saved = useSaved<'theme'>();
  return (
    <Card title={text('appearance')} actions={<SavedMark isShown={saved.what === 'theme'} />}>
      <RadioGroup
        label={text('theme')}
        value={theme}
        onChange={(value) => {
          choose(value);
          saved.note('theme');
        }}
        choices={[
          { value: 'system', label: text('themeSystem') },
          { value: 'light', label: text('themeLight') },
          { value: 'dark', label: text('themeDark') },
        ]}
      />
    </Card>
  );
}

function Keyboard({ profile }: { profile: ProfileBody }) {
  const text = useText('account');
  const change = useApiChange('changeProfile', topics);
  const saved = useSaved<'keys'>();
  return (
    <Card title={text('keyboard')} actions={<SavedMark isShown={saved.what === 'keys'} />}>
      <div className={classes.form}>
        <Switch
          label={text('shortcutKeys')}
          help={text('shortcutKeysHelp')}
          defaultChecked={profile.shortcut_keys}
          onChange={(isOn) => change.mutate({ body: { shortcut_keys: isOn } }, { onSuccess: () => saved.note('keys') })}
        />
        <ProblemNotice error={change.error} />
        <div className={classes.end}>
          <Button size="small" onClick={showShortcuts}>
            {text('showShortcuts')}
          </Button>
        </div>
      </div>
    </Card>
  );
}

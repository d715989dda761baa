// A sentence lists settings that the owner may not change.
import { type ReactNode, useState } from 'react';
import type { AppLinkDetailBody } from '#contract/app/file-links.ts';
import { call } from '../../api.ts';
import { addDays } from '../../dates.ts';
import { useFormats } from '../../formats.ts';
import { useMe } from '../../me.ts';
import { useText } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { Switch } from '../../ui/choice.tsx';
import { DateField } from '../../ui/date-field.tsx';
import { Muted, Row, Stack } from '../../ui/layout.tsx';
import { SavedMark } from '../../ui/saved-mark.tsx';
import { ProblemNotice, useSentenceOf } from '../../ui/states.tsx';
import classes from './file-links.module.css';
import { GroupRules } from './group-rules.tsx';
import { PasswordChoice } from './password-choice.tsx';
import { type Setting, useSavedSetting } from './saved-setting.ts';

interface Props {
  link: AppLinkDetailBody;
}

export function LinkSettings({ link }: Props) {
  const { policy } = useMe();
  return (
    <Stack>
      {policy.filelink_can_change_expiration ? <UntilSetting link={link} /> : null}
      {policy.filelink_can_set_password ? <PasswordSetting link={link} /> : null}
      {policy.filelink_can_change_require_authentication ? <ConfirmSetting link={link} /> : null}
      {policy.filelink_can_change_download_confirmation ? <NotificationSetting link={link} /> : null}
      <GroupRules />
    </Stack>
  );
}

function OneSetting<Value>(props: { setting: Setting<Value>; showsProblem?: boolean; children: ReactNode }) {
  const { setting, showsProblem = true, children } = props;
  return (
    <div className={classes.setting}>
      {children}
      {setting.isSaved ? <SavedMark isShown /> : null}
      {showsProblem ? <ProblemNotice error={setting.error} /> : null}
    </div>
  );
}

export function UntilSetting({ link, label, announcement }: Props & { label?: string; announcement?: string }) {
  const text = useText('file-links');
  const formats = useFormats();
  const sentenceOf = useSentenceOf();
  const { today, policy } = useMe();
  const params = { id: link.id };
  const setting = useSavedSetting(
    link.id,
    (expires_at: string) => call('updateExpiresAt', { params, body: { expires_at } }),
    (expires_at) => ({ expires_at }),
    announcement,
  );
  return (
    <OneSetting setting={setting} showsProblem={false}>
      <DateField
        label={label ?? text('until')}
        value={link.state === 'expired' ? null : link.expires_at}
        onChange={(date) => {
          if (date !== null && date !== link.expires_at) setting.save(date);
        }}
        today={today}
        max={addDays(today, policy.filelink_max_expiration)}
        problem={setting.error === null ? null : sentenceOf(setting.error)}
      />
      <Muted>{text('zone', { zone: formats.zoneOn(today) })}</Muted>
    </OneSetting>
  );
}

function ConfirmSetting({ link }: Props) {
  const text = useText('file-links');
  const params = { id: link.id };
  const setting = useSavedSetting(
    link.id,
    (isOn: boolean) => call('updateAuthentication', { params, body: { require_authentication: isOn } }),
    (isOn) => ({ require_authentication: isOn }),
  );
  const { require_authentication: isOn } = link;
  return (
    <OneSetting setting={setting}>
      <Switch label={text('confirm')} help={text('confirmHelp')} checked={isOn} onChange={setting.save} />
    </OneSetting>
  );
}

function NotificationSetting({ link }: Props) {
  const text = useText('file-links');
  const params = { id: link.id };
  const setting = useSavedSetting(
    link.id,
    (isOn: boolean) => call('updateDownloadConfirmation', { params, body: { send_download_confirmation: isOn } }),
    (isOn) => ({ send_download_confirmation: isOn }),
  );
  const { send_download_confirmation: isOn } = link;
  return (
    <OneSetting setting={setting}>
      <Switch label={text('tell')} help={text('tellHelp')} checked={isOn} onChange={setting.save} />
    </OneSetting>
  );
}

function PasswordSetting({ link }: Props) {
  const text = useText('file-links');
  const ui = useText('ui');
  const [typed, setTyped] = useState<string | null>(null);
  const [isMissing, setMissing] = useState(false);
  const setting = useSavedSetting(
    link.id,
    (password: string | null) => call('changeLinkPassword', { params: { id: link.id }, body: { password } }),
    (password) => ({ has_password: password !== null }),
  );
  const save = () => {
    setMissing(typed === '');
    if (typed === null || typed === '') return;
    setting.save(typed);
    setTyped(null);
  };
  return (
    <OneSetting setting={setting}>
      <strong>{text('password')}</strong>
      <Muted>{text(link.has_password ? 'passwordSet' : 'passwordNone')}</Muted>
      {typed === null ? (
        <Row>
          <Button size="small" onClick={() => setTyped('')}>
            {text(link.has_password ? 'changePassword' : 'setPassword')}
          </Button>
          {link.has_password ? (
            <Button size="small" variant="quiet" onClick={() => setting.save(null)}>
              {text('removePassword')}
            </Button>
          ) : null}
        </Row>
      ) : (
        <>
          <PasswordChoice
            label={text('newPassword')}
            value={typed}
            onChange={setTyped}
            problem={isMissing && typed === '' ? text('passwordEmpty') : null}
          />
          <Row>
            <Button size="small" onClick={save}>
              {text('savePassword')}
            </Button>
            <Button size="small" variant="quiet" onClick={() => setTyped(null)}>
              {ui('cancel')}
            </Button>
          </Row>
        </>
      )}
    </OneSetting>
  );
}

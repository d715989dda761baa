// The settings of a link, each saved by its own call at once. What the group has locked is told in a sentence.
import { Check } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { AppLinkDetailBody } from '#contract/app/file-links.ts';
import { zoneName } from '../../../formats.ts';
import { call } from '../../api.ts';
import { addDays } from '../../dates.ts';
import { useMe } from '../../me.ts';
import { Buttons, Muted, Stack } from '../../parts/columns.tsx';
import { useLocale, useText } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import { DateField } from '../../ui/date-field.tsx';
import { ProblemNotice, useSentence } from '../../ui/error-state.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Switch } from '../../ui/switch.tsx';
import classes from './file-links.module.css';
import { GroupRules } from './group-rules.tsx';
import { PasswordChoice } from './password-choice.tsx';
import { type Setting, useSavedSetting } from './saved-setting.ts';

export function LinkSettings({ link }: { link: AppLinkDetailBody }) {
  const { policy } = useMe();
  return (
    <Stack>
      {policy.filelink_can_change_expiration ? <UntilSetting link={link} /> : null}
      {policy.filelink_can_set_password ? <PasswordSetting link={link} /> : null}
      {policy.filelink_can_change_require_authentication ? <ConfirmSetting link={link} /> : null}
      {policy.filelink_can_change_download_confirmation ? <TellSetting link={link} /> : null}
      <GroupRules />
    </Stack>
  );
}

/** Room for one setting, and the word that it was saved or why not. */
function Row<Value>(props: { setting: Setting<Value>; showsProblem?: boolean; children: ReactNode }) {
  const { setting, showsProblem = true, children } = props;
  const text = useText('file-links');
  return (
    <div className={classes.setting}>
      {children}
      {setting.isSaved ? (
        <span className={classes.saved}>
          <Icon of={Check} sizePx={16} />
          {text('saved')}
        </span>
      ) : null}
      {showsProblem ? <ProblemNotice error={setting.error} /> : null}
    </div>
  );
}

export function UntilSetting({ link, label, said }: { link: AppLinkDetailBody; label?: string; said?: string }) {
  const text = useText('file-links');
  const locale = useLocale();
  const { today, time_zone, policy } = useMe();
  const setting = useSavedSetting(
    link.id,
    (expires_at: string) => call('updateExpiresAt', { params: { id: link.id }, body: { expires_at } }),
    (expires_at) => ({ expires_at }),
    said,
  );
  const problem = useSentence(setting.error);
  const isExpired = link.state === 'expired';
  const { filelink_max_expiration: maxDays } = policy;
  return (
    <Row setting={setting} showsProblem={false}>
      <DateField
        label={label ?? text('until')}
        value={isExpired ? null : link.expires_at}
        onChange={(date) => {
          if (date !== null && date !== link.expires_at) setting.save(date);
        }}
        today={today}
        max={addDays(today, maxDays)}
        problem={setting.error === null ? null : problem}
      />
      <Muted>{text('zone', { zone: zoneName(locale, time_zone, today) })}</Muted>
    </Row>
  );
}

function ConfirmSetting({ link }: { link: AppLinkDetailBody }) {
  const text = useText('file-links');
  const setting = useSavedSetting(
    link.id,
    (isOn: boolean) =>
      call('updateAuthentication', { params: { id: link.id }, body: { require_authentication: isOn } }),
    (isOn) => ({ require_authentication: isOn }),
  );
  return (
    <Row setting={setting}>
      <Switch
        label={text('confirm')}
        help={text('confirmHelp')}
        checked={link.require_authentication}
        onChange={setting.save}
      />
    </Row>
  );
}

function TellSetting({ link }: { link: AppLinkDetailBody }) {
  const text = useText('file-links');
  const setting = useSavedSetting(
    link.id,
    (isOn: boolean) =>
      call('updateDownloadConfirmation', { params: { id: link.id }, body: { send_download_confirmation: isOn } }),
    (isOn) => ({ send_download_confirmation: isOn }),
  );
  return (
    <Row setting={setting}>
      <Switch
        label={text('tell')}
        help={text('tellHelp')}
        checked={link.send_download_confirmation}
        onChange={setting.save}
      />
    </Row>
  );
}

function PasswordSetting({ link }: { link: AppLinkDetailBody }) {
  const text = useText('file-links');
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
    <Row setting={setting}>
      <div className={classes.strong}>{text('password')}</div>
      <Muted>{text(link.has_password ? 'passwordSet' : 'passwordNone')}</Muted>
      {typed === null ? (
        <Buttons>
          <Button size="small" onClick={() => setTyped('')}>
            {text(link.has_password ? 'changePassword' : 'setPassword')}
          </Button>
          {link.has_password ? (
            <Button size="small" variant="quiet" onClick={() => setting.save(null)}>
              {text('removePassword')}
            </Button>
          ) : null}
        </Buttons>
      ) : (
        <Stack>
          <PasswordChoice
            label={text('newPassword')}
            value={typed}
            onChange={setTyped}
            problem={isMissing && typed === '' ? text('passwordEmpty') : null}
          />
          <Buttons>
            <Button size="small" onClick={save}>
              {text('savePassword')}
            </Button>
            <Button size="small" variant="quiet" onClick={() => setTyped(null)}>
              {text('cancel')}
            </Button>
          </Buttons>
        </Stack>
      )}
    </Row>
  );
}

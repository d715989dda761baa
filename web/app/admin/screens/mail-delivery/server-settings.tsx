// The mail server of the console: saved only after a test mail was accepted.
import { useState } from 'react';
import type { CallAnswer } from '#contract/client.ts';
import { ClientProblem } from '#contract/client.ts';
import { useApi, useApiChange } from '../../../api.ts';
import { type TextKey, useText } from '../../../texts.ts';
import { announce } from '../../../ui/announcer.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { RadioGroup } from '../../../ui/choice.tsx';
import { CopyField } from '../../../ui/copy-field.tsx';
import { PasswordField, TextArea, TextField } from '../../../ui/field.tsx';
import { Muted, Row, Stack } from '../../../ui/layout.tsx';
import { Loaded, Notice, ProblemNotice, problemAt } from '../../../ui/states.tsx';
import { Steps } from './tests.tsx';

type Settings = CallAnswer<'getMailSettings'>['mail_settings'];
type Kind = 'password' | 'oauth' | 'graph' | 'none';
type Secret = 'password' | 'client_secret' | 'certificate' | 'refresh_token' | 'dkim_key';
type Values = Omit<Settings['setup'], 'method' | 'sign_in' | 'port'> & { kind: Kind; port: string } & Partial<
    Record<Secret, string>
  >;

export function ServerSettings() {
  const settings = useApi('getMailSettings', {});
  return (
    <Loaded query={settings}>
      {({ mail_settings: found }) =>
        found.fixed.method === undefined ? <SettingsForm key={found.source} found={found} /> : <Fixed found={found} />
      }
    </Loaded>
  );
}

function Fixed({ found }: { found: Settings }) {
  const text = useText('admin/mail-delivery');
  return (
    <Card title={text('mailServer')}>
      <Stack gap={16}>
        <p>{text('fixedBy', { variable: found.fixed.method ?? '' })}</p>
        <DkimRecord found={found} />
      </Stack>
    </Card>
  );
}

function SettingsForm({ found }: { found: Settings }) {
  const text = useText('admin/mail-delivery');
  const [values, setValues] = useState(() => valuesOf(found));
  const save = useApiChange('changeMailSettings', ['admin', 'me']);
  const remove = useApiChange('removeMailSettings', ['admin', 'me']);
  const steps = save.error instanceof ClientProblem ? save.error.steps : [];
  const change = (field: keyof Values) => (value: string) => setValues((current) => ({ ...current, [field]: value }));
  const submit = () =>
    save.mutate(
      { body: { mail_settings: inputOf(values) } },
      {
        onSuccess: ({ mail_settings }) => {
          setValues(valuesOf(mail_settings));
          announce(text('settingsSaved'));
        },
      },
    );
  const isFieldProblem = save.error instanceof ClientProblem && save.error.field !== null;
  const form = { values, change, error: save.error, isSet: (name: Secret) => found.secrets.includes(name) };
  return (
    <Card title={text('mailServer')}>
      <Stack gap={16}>
        <RadioGroup<Kind>
          label={text('kind')}
          choices={(['password', 'oauth', 'graph', 'none'] as const).map((kind) => ({
            value: kind,
            label: text(kindLabels[kind]),
          }))}
          value={values.kind}
          onChange={change('kind')}
        />
        {values.kind === 'graph' ? null : <RelayFields {...form} />}
        {values.kind === 'oauth' || values.kind === 'graph' ? <TokenFields {...form} /> : null}
        <SenderFields {...form} fixed={found.fixed} />
        <DkimRecord found={found} />
        {isFieldProblem ? null : <ProblemNotice error={save.error} />}
        {steps.length === 0 ? null : <Steps steps={steps} />}
        {save.isSuccess ? <Notice tone="success">{text('settingsSaved')}</Notice> : null}
        <Row>
          <Button variant="primary" isBusy={save.isPending} onClick={submit}>
            {text('testAndSave')}
          </Button>
          {found.source === 'console' ? (
            <Button isBusy={remove.isPending} onClick={() => remove.mutate({})}>
              {text('removeSettings')}
            </Button>
          ) : null}
        </Row>
        <Muted>{text('testAndSaveHelp')}</Muted>
      </Stack>
    </Card>
  );
}

const kindLabels = {
  password: 'kindPassword',
  oauth: 'kindOauth',
  graph: 'kindGraph',
  none: 'kindNone',
} as const satisfies Record<Kind, TextKey<'admin/mail-delivery'>>;

interface FormProps {
  values: Values;
  change(field: keyof Values): (value: string) => void;
  error: unknown;
  isSet(name: Secret): boolean;
}

function RelayFields({ values, change, error, isSet }: FormProps) {
  const text = useText('admin/mail-delivery');
  return (
    <>
      <TextField
        label={text('server')}
        placeholder="mail.example.com"
        value={values.host}
        onChange={change('host')}
        problem={problemAt(error, 'host')}
        spellCheck={false}
      />
      <RadioGroup
        label={text('protection')}
        choices={[
          { value: 'starttls', label: text('startTlsChoice') },
          { value: 'tls', label: text('tlsChoice') },
        ]}
        value={values.security}
        onChange={(security) => {
          change('security')(security);
          if (/^(587|465)?$/.test(values.port)) change('port')(security === 'tls' ? '465' : '587');
        }}
      />
      <TextField
        label={text('port')}
        inputMode="numeric"
        value={values.port}
        onChange={change('port')}
        problem={problemAt(error, 'port')}
      />
      {values.kind === 'none' ? null : (
        <TextField
          label={text('user')}
          value={values.user}
          onChange={change('user')}
          problem={problemAt(error, 'user')}
          autoComplete="off"
          spellCheck={false}
        />
      )}
      {values.kind === 'password' ? (
        <PasswordField
          label={text('password')}
          help={isSet('password') ? text('secretKept') : undefined}
          value={values.password ?? ''}
          onChange={change('password')}
          problem={problemAt(error, 'password')}
          autoComplete="off"
        />
      ) : null}
    </>
  );
}

function TokenFields({ values, change, error, isSet }: FormProps) {
  const text = useText('admin/mail-delivery');
  const secret = (name: Secret) => ({
    value: values[name] ?? '',
    onChange: change(name),
    problem: problemAt(error, name),
    help: isSet(name) ? text('secretKept') : undefined,
  });
  return (
    <>
      {values.kind === 'graph' ? (
        <TextField
          label={text('mailbox')}
          value={values.user}
          onChange={change('user')}
          problem={problemAt(error, 'user')}
          spellCheck={false}
        />
      ) : null}
      <TextField
        label={text('tokenUrl')}
        help={text(values.kind === 'graph' ? 'tokenUrlHelpGraph' : 'tokenUrlHelp')}
        value={values.token_url}
        onChange={change('token_url')}
        problem={problemAt(error, 'token_url')}
        spellCheck={false}
      />
      <TextField
        label={text('clientId')}
        value={values.client_id}
        onChange={change('client_id')}
        problem={problemAt(error, 'client_id')}
        spellCheck={false}
      />
      <PasswordField label={text('clientSecret')} {...secret('client_secret')} autoComplete="off" />
      <TextArea label={text('certificate')} isOptional {...secret('certificate')} rows={3} spellCheck={false} />
      {values.kind === 'oauth' ? (
        <>
          <PasswordField label={text('refreshToken')} isOptional {...secret('refresh_token')} autoComplete="off" />
          <TextField
            label={text('scope')}
            isOptional
            value={values.scope}
            onChange={change('scope')}
            spellCheck={false}
          />
        </>
      ) : (
        <TextField
          label={text('graphUrl')}
          value={values.graph_url}
          onChange={change('graph_url')}
          problem={problemAt(error, 'graph_url')}
          spellCheck={false}
        />
      )}
    </>
  );
}

function SenderFields({ values, change, error, isSet, fixed }: FormProps & { fixed: Settings['fixed'] }) {
  const text = useText('admin/mail-delivery');
  const sender = (field: 'from' | 'envelope_from') => ({
    value: values[field],
    onChange: change(field),
    problem: problemAt(error, field),
    readOnly: fixed[field] !== undefined,
    help: fixed[field] === undefined ? undefined : text('fixedBy', { variable: fixed[field] }),
  });
  return (
    <>
      <TextField label={text('from')} type="email" {...sender('from')} />
      <TextField label={text('bounces')} type="email" isOptional {...sender('envelope_from')} />
      {fixed.dkim_domain === undefined ? (
        <>
          <TextField
            label={text('dkimDomain')}
            help={text('dkimHelp')}
            isOptional
            value={values.dkim_domain}
            onChange={change('dkim_domain')}
            problem={problemAt(error, 'dkim_domain')}
            spellCheck={false}
          />
          {values.dkim_domain === '' ? null : (
            <>
              <TextField
                label={text('selector')}
                value={values.dkim_selector}
                onChange={change('dkim_selector')}
                problem={problemAt(error, 'dkim_selector')}
                spellCheck={false}
              />
              <TextArea
                label={text('dkimKey')}
                help={text(isSet('dkim_key') ? 'secretKept' : 'dkimKeyHelp')}
                isOptional
                rows={3}
                value={values.dkim_key ?? ''}
                onChange={change('dkim_key')}
                problem={problemAt(error, 'dkim_key')}
                spellCheck={false}
              />
            </>
          )}
        </>
      ) : null}
    </>
  );
}

function DkimRecord({ found: { dkim_record: dkim } }: { found: Settings }) {
  const text = useText('admin/mail-delivery');
  if (dkim === null) return null;
  return (
    <Stack gap={8}>
      <p>{text('dkimRecord')}</p>
      <CopyField label={text('dkimRecordName')} value={dkim.name} />
      <CopyField label={text('dkimRecordValue')} value={dkim.value} />
    </Stack>
  );
}

function valuesOf({ setup, source }: Settings): Values {
  const { method, sign_in, port, ...rest } = setup;
  const kind = source === 'none' ? 'password' : method === 'graph' ? 'graph' : sign_in;
  return { ...rest, kind, port: String(port) };
}

/** Empty secrets are left out, so that saved ones stay. */
function inputOf({ kind, port, ...values }: Values) {
  const filled = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== '')) as Partial<
    typeof values
  >;
  return {
    ...filled,
    method: kind === 'graph' ? ('graph' as const) : ('smtp' as const),
    sign_in: kind === 'graph' ? ('oauth' as const) : kind,
    port: Number(port) || 587,
  };
}

// The mail server of the console: saved only after a test mail was accepted.
import type { CallAnswer } from '#contract/client.ts';
import { useApi, useApiChange } from '../../../api.ts';
import { type TextKey, useText } from '../../../texts.ts';
import { announce } from '../../../ui/announcer.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { RadioGroup } from '../../../ui/choice.tsx';
import { CopyField } from '../../../ui/copy-field.tsx';
import { PasswordField, TextArea, TextField } from '../../../ui/field.tsx';
import { Stack } from '../../../ui/layout.tsx';
import { Loaded } from '../../../ui/states.tsx';
import { FormCard } from '../../parts/form-card.tsx';
import { type SealedForm, useSealedForm } from '../../parts/sealed-form.ts';
import { useStepName } from './tests.tsx';

type Settings = CallAnswer<'getMailSettings'>['mail_settings'];
type Kind = 'password' | 'oauth' | 'graph' | 'none';
type Secret = 'password' | 'client_secret' | 'certificate' | 'refresh_token' | 'dkim_key';
type Values = Omit<Settings['setup'], 'method' | 'sign_in' | 'port'> & { kind: Kind; port: string } & Record<
    Secret,
    string
  >;

export function ServerSettings() {
  const settings = useApi('getMailSettings', {});
  return (
    <Loaded query={settings}>
      {({ mail_settings: found }) =>
        found.fixed.method === undefined ? <SettingsForm found={found} /> : <Fixed found={found} />
      }
    </Loaded>
  );
}

function Fixed({ found }: { found: Settings }) {
  const consoleText = useText('admin/console');
  const text = useText('admin/mail-delivery');
  return (
    <Card title={text('mailServer')}>
      <Stack gap={16}>
        <p>{consoleText('fixedBy', { variable: found.fixed.method ?? '' })}</p>
        <DkimRecord found={found} />
      </Stack>
    </Card>
  );
}

function SettingsForm({ found }: { found: Settings }) {
  const text = useText('admin/mail-delivery');
  const save = useApiChange('changeMailSettings', ['admin', 'me']);
  const { secrets, fixed } = found;
  const form = useSealedForm<Values>({ saved: valuesOf(found), secrets, fixed, error: save.error });
  const submit = () =>
    save.mutate(
      { body: { mail_settings: inputOf(form.filled()) } },
      {
        onSuccess: ({ mail_settings }) => {
          form.set(valuesOf(mail_settings));
          announce(text('settingsSaved'));
        },
      },
    );
  const { remove, clear } = useRemoval((values) => {
    save.reset();
    form.set(values);
  });
  const { kind } = form.values;
  return (
    <FormCard
      title={text('mailServer')}
      change={save}
      otherError={form.otherError ?? remove.error}
      submitLabel={text('testAndSave')}
      submitHelp={text('testAndSaveHelp')}
      savedText={text('settingsSaved')}
      onSubmit={submit}
      checks={{ label: text('steps'), nameOf: useStepName() }}
      actions={
        found.source === 'console' ? (
          <Button isBusy={remove.isPending} onClick={clear}>
            {text('removeSettings')}
          </Button>
        ) : null
      }
    >
      <KindChoice form={form} />
      {kind === 'graph' ? null : <RelayFields form={form} />}
      {kind === 'oauth' || kind === 'graph' ? <TokenFields form={form} /> : null}
      <SenderFields form={form} fixed={fixed} />
      <DkimRecord found={found} />
    </FormCard>
  );
}

function useRemoval(onRemoved: (values: Values) => void) {
  const remove = useApiChange('removeMailSettings', ['admin', 'me']);
  const onSuccess = ({ mail_settings }: CallAnswer<'removeMailSettings'>) => onRemoved(valuesOf(mail_settings));
  return { remove, clear: () => remove.mutate({}, { onSuccess }) };
}

const kindLabels = {
  password: 'kindPassword',
  oauth: 'kindOauth',
  graph: 'kindGraph',
  none: 'kindNone',
} as const satisfies Record<Kind, TextKey<'admin/mail-delivery'>>;

interface FormProps {
  form: SealedForm<Values>;
}

function KindChoice({ form }: FormProps) {
  const text = useText('admin/mail-delivery');
  return (
    <RadioGroup<Kind>
      label={text('kind')}
      choices={(['password', 'oauth', 'graph', 'none'] as const).map((value) => ({
        value,
        label: text(kindLabels[value]),
      }))}
      value={form.values.kind}
      onChange={(kind) => form.set({ kind })}
    />
  );
}

function RelayFields({ form }: FormProps) {
  const text = useText('admin/mail-delivery');
  const { kind, port, security } = form.values;
  return (
    <>
      <TextField label={text('server')} placeholder="mail.example.com" {...form.field('host')} />
      <RadioGroup
        label={text('protection')}
        choices={[
          { value: 'starttls', label: text('startTlsChoice') },
          { value: 'tls', label: text('tlsChoice') },
        ]}
        value={security}
        onChange={(next) =>
          form.set({
            security: next,
            ...(/^(587|465)?$/.test(port) ? { port: next === 'tls' ? '465' : '587' } : {}),
          })
        }
      />
      <TextField label={text('port')} inputMode="numeric" {...form.field('port')} />
      {kind === 'none' ? null : <TextField label={text('user')} {...form.field('user')} />}
      {kind === 'password' ? <PasswordField label={text('password')} {...form.secret('password')} /> : null}
    </>
  );
}

function TokenFields({ form }: FormProps) {
  const text = useText('admin/mail-delivery');
  const isGraph = form.values.kind === 'graph';
  return (
    <>
      {isGraph ? <TextField label={text('mailbox')} {...form.field('user')} /> : null}
      <TextField
        label={text('tokenUrl')}
        {...form.field('token_url')}
        help={text(isGraph ? 'tokenUrlHelpGraph' : 'tokenUrlHelp')}
      />
      <TextField label={text('clientId')} {...form.field('client_id')} />
      <PasswordField label={text('clientSecret')} {...form.secret('client_secret')} />
      <TextArea label={text('certificate')} isOptional {...form.secret('certificate')} rows={3} />
      {isGraph ? (
        <TextField label={text('graphUrl')} {...form.field('graph_url')} />
      ) : (
        <>
          <PasswordField label={text('refreshToken')} isOptional {...form.secret('refresh_token')} />
          <TextField label={text('scope')} isOptional {...form.field('scope')} />
        </>
      )}
    </>
  );
}

function SenderFields({ form, fixed }: FormProps & { fixed: Settings['fixed'] }) {
  const text = useText('admin/mail-delivery');
  return (
    <>
      <TextField label={text('from')} type="email" {...form.field('from')} />
      <TextField label={text('bounces')} type="email" isOptional {...form.field('envelope_from')} />
      {fixed.dkim_domain === undefined ? (
        <>
          <TextField label={text('dkimDomain')} isOptional {...form.field('dkim_domain')} help={text('dkimHelp')} />
          {form.values.dkim_domain === '' ? null : (
            <>
              <TextField label={text('selector')} {...form.field('dkim_selector')} />
              <TextArea
                label={text('dkimKey')}
                help={text('dkimKeyHelp')}
                isOptional
                rows={3}
                {...form.secret('dkim_key')}
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

const noSecrets: Record<Secret, string> = {
  password: '',
  client_secret: '',
  certificate: '',
  refresh_token: '',
  dkim_key: '',
};

function valuesOf({ setup, source }: Settings): Values {
  const { method, sign_in, port, ...rest } = setup;
  const kind = source === 'none' ? 'password' : method === 'graph' ? 'graph' : sign_in;
  return { ...rest, ...noSecrets, kind, port: String(port) };
}

function inputOf({ kind = 'password', port, ...values }: Partial<Values>) {
  return {
    ...values,
    method: kind === 'graph' ? ('graph' as const) : ('smtp' as const),
    sign_in: kind === 'graph' ? ('oauth' as const) : kind,
    port: Number(port) || 587,
  };
}

// The step of the setup about mail. Works without scripts: the style sheet shows the fields of the chosen way. Never sends
// secrets back.
import type { ReactNode } from 'react';
import { Button, ButtonLink } from './parts/button.tsx';
import { Card, CardBody, CardStrip } from './parts/card.tsx';
import { Field, FieldError, PasswordField } from './parts/field.tsx';
import { ErrorSummary, Form } from './parts/form.tsx';
import { Say, useText } from './parts/frame.tsx';
import { Layout } from './parts/layout.tsx';
import { Notice } from './parts/notice.tsx';
import { UserText } from './parts/user-text.tsx';
import type { SetupMailField, SetupMailPage } from './props.ts';

const ways = ['password', 'oauth', 'graph', 'none'] as const;
const protections = ['starttls', 'tls'] as const;

export function SetupMailView({ page }: { page: SetupMailPage }): ReactNode {
  const say = useText();
  const { failed, problems } = page;
  return (
    <Layout title={say('setupMail.heading')} hasErrors={problems.length > 0 || failed !== null}>
      <ErrorSummary errors={problems} />
      <div className="intro">
        <h1>{say('setupMail.heading')}</h1>
        <p>
          <Say k="setupMail.intro" with={{ email: <UserText>{page.to}</UserText> }} />
        </p>
      </div>
      {failed !== null && (
        <Notice tone="danger" title={say('setupMail.failed')}>
          <p>{failed.sentence}</p>
          {failed.cure !== '' && <p>{failed.cure}</p>}
          {failed.said !== '' && (
            <p className="muted">
              <Say k="setupMail.said" with={{ words: <UserText>{failed.said}</UserText> }} />
            </p>
          )}
        </Notice>
      )}
      <Form form={page.form} className="mail-way">
        <Card>
          <CardBody>
            <div className="fields">
              <Radios name="way" label={say('setupMail.way')} values={ways} page={page} />
              <RelayFields page={page} />
              <TokenFields page={page} />
              <Text page={page} name="from" type="email" />
            </div>
          </CardBody>
          <CardStrip>
            <Button>{say('setupMail.submit')}</Button>
            <ButtonLink href={page.skipUrl}>{say('setupMail.skip')}</ButtonLink>
          </CardStrip>
        </Card>
      </Form>
      <p className="help">{say('setupMail.skipHelp')}</p>
    </Layout>
  );
}

function RelayFields({ page }: { page: SetupMailPage }): ReactNode {
  const say = useText();
  return (
    <>
      <div className="fields for-smtp">
        <Text page={page} name="host" isCode />
        <Radios name="security" label={say('setupMail.security')} values={protections} page={page} />
        <Text page={page} name="port" inputMode="numeric" />
      </div>
      <div className="for-user">
        <Text page={page} name="user" isCode />
      </div>
      <div className="for-password">
        <PasswordField
          name="password"
          label={say('setupMail.password')}
          error={errorOf(page, 'password')}
          autoComplete="off"
        />
      </div>
    </>
  );
}

function TokenFields({ page }: { page: SetupMailPage }): ReactNode {
  const say = useText();
  return (
    <>
      <div className="fields for-token">
        <Text page={page} name="token_url" type="url" help={say('setupMail.token_urlHelp')} isCode />
        <Text page={page} name="client_id" isCode />
        <PasswordField
          name="client_secret"
          label={say('setupMail.client_secret')}
          help={say('setupMail.client_secretHelp')}
          error={errorOf(page, 'client_secret')}
          autoComplete="off"
        />
      </div>
      <div className="for-oauth">
        <PasswordField
          name="refresh_token"
          label={say('setupMail.refresh_token')}
          isOptional
          error={errorOf(page, 'refresh_token')}
          autoComplete="off"
        />
      </div>
    </>
  );
}

interface TextProps {
  page: SetupMailPage;
  name: Exclude<SetupMailField, 'password' | 'client_secret' | 'refresh_token' | 'way' | 'security'>;
  type?: 'text' | 'email' | 'url';
  help?: string;
  isCode?: boolean;
  inputMode?: 'numeric';
}

function Text({ page, name, ...rest }: TextProps): ReactNode {
  const say = useText();
  return (
    <Field
      name={name}
      label={say(`setupMail.${name}`)}
      value={page.values[name] ?? ''}
      error={errorOf(page, name)}
      autoComplete="off"
      autoCapitalize="none"
      {...rest}
    />
  );
}

interface RadiosProps<Name extends 'way' | 'security', Value extends string> {
  name: Name;
  label: string;
  values: readonly Value[];
  page: SetupMailPage;
}

function Radios<Name extends 'way' | 'security', Value extends (typeof ways)[number] | (typeof protections)[number]>({
  name,
  label,
  values,
  page,
}: RadiosProps<Name, Value>): ReactNode {
  const say = useText();
  const error = errorOf(page, name);
  return (
    <fieldset className="radios" id={name}>
      <legend>{label}</legend>
      {values.map((value) => (
        <label className="radio" key={value}>
          <input type="radio" name={name} value={value} defaultChecked={(page.values[name] || values[0]) === value} />
          <span>{say(`setupMail.${name}.${value}` as 'setupMail.way.password')}</span>
        </label>
      ))}
      {error !== null && <FieldError sentence={error} />}
    </fieldset>
  );
}

function errorOf({ problems }: SetupMailPage, name: SetupMailField): string | null {
  return problems.find(({ field }) => field === name)?.sentence ?? null;
}

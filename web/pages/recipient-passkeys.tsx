import type { ReactNode } from 'react';
import { longDate } from '../formats.ts';
import type { RecipientPasskeysPage } from './identity-props.ts';
import { Card, CardBody, CardFoot } from './parts/card.tsx';
import { Form } from './parts/form.tsx';
import { Say, useFrame, useText } from './parts/frame.tsx';
import { Layout } from './parts/layout.tsx';
import { Notice } from './parts/notice.tsx';
import { PasskeyButton } from './parts/passkey-button.tsx';
import { UserText } from './parts/user-text.tsx';

export function RecipientPasskeysView({ page }: { page: RecipientPasskeysPage }): ReactNode {
  const say = useText();
  return (
    <Layout title={say('passkey.listHeading')} hasErrors={page.problem !== null} isRecipientPage>
      <Card>
        <CardBody>
          <h1>{say('passkey.listHeading')}</h1>
          {page.problem !== null && (
            <Notice tone="danger">
              <p>{page.problem}</p>
            </Notice>
          )}
          <p>
            <Say
              k="passkey.listText"
              with={{
                address: (
                  <strong>
                    <UserText>{page.address}</UserText>
                  </strong>
                ),
              }}
            />
          </p>
          <Passkeys page={page} />
          <Next page={page} />
        </CardBody>
        <CardFoot>
          <a href={page.backUrl}>{say('passkey.back')}</a>
        </CardFoot>
      </Card>
    </Layout>
  );
}

function Passkeys({ page: { passkeys } }: { page: RecipientPasskeysPage }): ReactNode {
  const { locale } = useFrame();
  const say = useText();
  if (passkeys.length === 0) return null;
  return (
    <ul className="passkeys">
      {passkeys.map(({ id, name, createdOn, lastUsedOn, remove }) => (
        <li key={id}>
          <div>
            <strong>
              <UserText>{name}</UserText>
            </strong>
            <p className="help">
              {say('passkey.created', { date: longDate(locale, createdOn) })}
              {lastUsedOn !== null && ` · ${say('passkey.lastUsed', { date: longDate(locale, lastUsedOn) })}`}
            </p>
          </div>
          {remove !== null && (
            <Form form={remove}>
              <button
                type="submit"
                className="button button-secondary"
                aria-label={say('passkey.removeNamed', { name })}
              >
                {say('passkey.remove')}
              </button>
            </Form>
          )}
        </li>
      ))}
    </ul>
  );
}

function Next({ page: { standing, creation, use, confirmUrl } }: { page: RecipientPasskeysPage }): ReactNode {
  const say = useText();
  if (standing === 'shared') return <p className="muted">{say('passkey.sharedComputer')}</p>;
  if (standing === 'confirm_again')
    return (
      <p>
        <a href={confirmUrl}>{say('passkey.confirmAgain')}</a>
      </p>
    );
  if (standing === 'use_passkey')
    return (
      <>
        <p>{say('passkey.useFirst')}</p>
        {use !== null && (
          <Form form={use.form}>
            <PasskeyButton part={use.passkey} variant="primary">
              {say('passkey.use')}
            </PasskeyButton>
          </Form>
        )}
        <p className="help">{say('passkey.lost')}</p>
      </>
    );
  if (creation === null) return null;
  return (
    <Form form={creation.form}>
      <PasskeyButton part={creation.passkey} does="create" variant="primary">
        {say('passkey.create')}
      </PasskeyButton>
    </Form>
  );
}

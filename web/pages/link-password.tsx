// Does not mention the file; a wrong password leaves the field empty and focused.
import type { ReactNode } from 'react';
import { Button } from './parts/button.tsx';
import { Card, CardBody } from './parts/card.tsx';
import { Countdown } from './parts/countdown.tsx';
import { PasswordField } from './parts/field.tsx';
import { Form } from './parts/form.tsx';
import { Say, useText } from './parts/frame.tsx';
import { Layout } from './parts/layout.tsx';
import { Statement } from './parts/statement.tsx';
import { PersonText, UserText } from './parts/user-text.tsx';
import type { LinkPasswordPage } from './props.ts';

export function LinkPasswordView({ page }: { page: LinkPasswordPage }): ReactNode {
  const say = useText();
  const { state } = page;
  if (state.is === 'paused') {
    return (
      <Layout title={say('password.pausedHeading')} isRecipientPage>
        <Statement icon="clock" heading={say('password.pausedHeading')}>
          <p>
            <Countdown k="password.paused" seconds={state.seconds} then="reload" />
          </p>
        </Statement>
      </Layout>
    );
  }
  const heading = say('password.heading');
  const error = errorSentence(state, say);
  return (
    <Layout title={heading} hasErrors={error !== null} isRecipientPage>
      <Card>
        <CardBody>
          {page.sharedBy && (
            <p className="from">
              <Say k="link.sharedBy" with={{ person: <PersonText person={page.sharedBy} /> }} />
            </p>
          )}
          <h1>{heading}</h1>
          <p>
            {page.sharedBy ? (
              <Say k="password.given" with={{ name: <UserText>{page.sharedBy.name}</UserText> }} />
            ) : (
              say('password.givenPlain')
            )}
          </p>
          <Form form={page.form} className="fields">
            <PasswordField name="password" label={say('password.label')} error={error} hasFocus autoComplete="off" />
            <Button>{say('password.open')}</Button>
          </Form>
        </CardBody>
      </Card>
    </Layout>
  );
}

function errorSentence(state: LinkPasswordPage['state'], say: ReturnType<typeof useText>): string | null {
  if (state.is === 'empty') return say('password.empty');
  if (state.is === 'wrong') return say('password.wrong', { tries: state.attemptsLeft, minutes: state.pauseMinutes });
  return null;
}

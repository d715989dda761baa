// Every address gets the same response, registered or not.
import type { ReactNode } from 'react';
import { minutes } from '../formats.ts';
import type { ForgotPage } from './identity-props.ts';
import { Button, ButtonLink } from './parts/button.tsx';
import { Card, CardBody, CardFoot } from './parts/card.tsx';
import { Field } from './parts/field.tsx';
import { Form } from './parts/form.tsx';
import { Say, useFrame, useText } from './parts/frame.tsx';
import { Layout } from './parts/layout.tsx';
import { Statement } from './parts/statement.tsx';
import { UserText } from './parts/user-text.tsx';

type AskState = Extract<ForgotPage['state'], { is: 'ask' }>;

export function ForgotView({ page }: { page: ForgotPage }): ReactNode {
  const { locale, canSendMail } = useFrame();
  const say = useText();
  const { state } = page;
  if (state.is === 'ask') return <AskView state={state} signInUrl={page.signInUrl} />;
  if (canSendMail === false)
    return (
      <Layout title={say('forgot.noMailHeading')}>
        <Statement icon="mail" heading={say('forgot.noMailHeading')}>
          <p>{say('forgot.noMail')}</p>
          <ButtonLink href={page.signInUrl}>{say('forgot.back')}</ButtonLink>
        </Statement>
      </Layout>
    );
  return (
    <Layout title={say('forgot.sentHeading')}>
      <Statement icon="mail" heading={say('forgot.sentHeading')}>
        <p>
          <Say
            k="forgot.sent"
            with={{ address: <UserText>{state.email}</UserText>, time: minutes(locale, state.validMinutes) }}
          />
        </p>
        <p className="muted">{say('forgot.sentHint')}</p>
        <ButtonLink href={page.signInUrl}>{say('forgot.back')}</ButtonLink>
      </Statement>
    </Layout>
  );
}

function AskView({ state, signInUrl }: { state: AskState; signInUrl: string }): ReactNode {
  const say = useText();
  const error = state.problem === null ? null : sentenceOf(state.problem, say);
  return (
    <Layout title={say('forgot.heading')} hasErrors={error !== null}>
      <Card>
        <CardBody>
          <h1>{say('forgot.heading')}</h1>
          <p>{say('forgot.text')}</p>
          <Form form={state.form} className="fields">
            <Field
              name="email"
              type="email"
              label={say('signin.email')}
              value={state.email}
              error={error}
              hasFocus={error !== null}
              autoComplete="username"
              autoCapitalize="none"
            />
            <Button icon="mail">{say('forgot.submit')}</Button>
          </Form>
        </CardBody>
        <CardFoot>
          <p className="ways">
            <a href={signInUrl}>{say('forgot.back')}</a>
          </p>
        </CardFoot>
      </Card>
    </Layout>
  );
}

function sentenceOf(problem: NonNullable<AskState['problem']>, say: ReturnType<typeof useText>): string {
  if ('sentence' in problem) return problem.sentence;
  return problem.reason === 'missing' ? say('signin.emailMissing') : say('forgot.emailInvalid');
}

// A wrong password and an unknown account get the same error. Never sends the password back.
import type { ReactNode } from 'react';
import { hours } from '../formats.ts';
import { visibleText } from '../visible.ts';
import type {
  LockedStep,
  PasswordStep,
  SecondFactorStep,
  SignedInStep,
  SignedOutPage,
  SignInPage,
} from './identity-props.ts';
import { LinkView } from './link-identity.tsx';
import { Button, ButtonLink } from './parts/button.tsx';
import { Card, CardBody, CardFoot } from './parts/card.tsx';
import { CodeField } from './parts/code-field.tsx';
import { Countdown } from './parts/countdown.tsx';
import { Checkbox, Field, PasswordField } from './parts/field.tsx';
import { ErrorSummary, Form } from './parts/form.tsx';
import { Say, useFrame, useText } from './parts/frame.tsx';
import { Layout, mailto } from './parts/layout.tsx';
import { Notice } from './parts/notice.tsx';
import { PasskeyButton } from './parts/passkey-button.tsx';
import { Statement } from './parts/statement.tsx';
import { PersonText, UserText } from './parts/user-text.tsx';

export function SignInView({ page }: { page: SignInPage }): ReactNode {
  const { step } = page;
  switch (step.is) {
    case 'password':
      return <PasswordView step={step} />;
    case 'link':
      return <LinkView step={step} />;
    case 'second-factor':
      return <SecondFactorView step={step} />;
    case 'locked':
      return <LockedView step={step} />;
    case 'suspended':
      return <SuspendedView />;
    case 'signed-in':
      return <SignedInView step={step} />;
  }
}

export function SignedOutView({ page }: { page: SignedOutPage }): ReactNode {
  const say = useText();
  return (
    <Layout title={say('signout.heading')}>
      <Statement icon="check" heading={say('signout.heading')}>
        <p>{say('signout.text')}</p>
        <ButtonLink href={page.signInUrl}>{say('signout.again')}</ButtonLink>
      </Statement>
    </Layout>
  );
}

function PasswordView({ step }: { step: PasswordStep }): ReactNode {
  const frame = useFrame();
  const say = useText();
  const errors = passwordErrors(step, say);
  const organisation = frame.organisationName ?? frame.productName;
  return (
    <Layout title={say('signin.heading')} hasErrors={errors.length > 0}>
      <ErrorSummary errors={errors} />
      {errors.length === 0 && <Explanation step={step} />}
      <Card>
        <CardBody>
          <h1>{say('signin.heading')}</h1>
          <p className="muted">
            <Say k="signin.intro" with={{ organisation: <UserText>{organisation}</UserText> }} />
          </p>
          <Services services={step.services} />
          <Form form={step.form} className="fields">
            <Field
              name="email"
              type="email"
              label={say('signin.email')}
              value={step.email}
              error={errorAt('email', errors)}
              autoComplete="username"
              autoCapitalize="none"
            />
            <PasswordField
              name="password"
              label={say('signin.password')}
              error={errorAt('password', errors)}
              autoComplete="current-password"
            />
            <Choices step={step} />
            <Button>{say('signin.submit')}</Button>
            {step.passkey !== null && <PasskeyButton part={step.passkey}>{say('passkey.signIn')}</PasskeyButton>}
          </Form>
        </CardBody>
        {step.forgotUrl !== null && (
          <CardFoot>
            <p className="ways">
              <a href={step.forgotUrl}>{say('signin.forgot')}</a>
            </p>
          </CardFoot>
        )}
      </Card>
    </Layout>
  );
}

function Choices({ step }: { step: PasswordStep }): ReactNode {
  const { locale } = useFrame();
  const say = useText();
  return (
    <>
      {step.keepHours !== null && (
        <Checkbox
          name="keep"
          label={say('signin.keep')}
          help={say('signin.keepHelp', { time: hours(locale, step.keepHours) })}
          isTicked={step.isKeepTicked}
        />
      )}
      <Checkbox
        name="shared_computer"
        label={say('confirm.shared')}
        help={say('signin.sharedHelp')}
        isTicked={step.isSharedTicked}
      />
    </>
  );
}

function Services({ services }: Pick<PasswordStep, 'services'>): ReactNode {
  const say = useText();
  if (services.length === 0) return null;
  return (
    <>
      {services.map(({ name, url }) => (
        <p key={url}>
          <ButtonLink href={url}>
            <Say k="signin.with" with={{ service: <UserText>{name}</UserText> }} />
          </ButtonLink>
        </p>
      ))}
      <p className="muted">{say('signin.orPassword')}</p>
    </>
  );
}

function Explanation({ step: { serviceProblem, reason } }: { step: PasswordStep }): ReactNode {
  if (serviceProblem === null) return reason === null ? null : <Reason reason={reason} />;
  return (
    <Notice tone="danger">
      <p>{serviceProblem}</p>
    </Notice>
  );
}

function Reason({ reason }: { reason: NonNullable<PasswordStep['reason']> }): ReactNode {
  const say = useText();
  if (reason === 'password-changed') {
    return (
      <Notice tone="success">
        <p>{say('signin.passwordChanged')}</p>
      </Notice>
    );
  }
  return (
    <Notice tone="info">
      <p>{reason === 'needed' ? say('signin.needed') : say('signin.sessionEnded')}</p>
    </Notice>
  );
}

function SecondFactorView({ step }: { step: SecondFactorStep }): ReactNode {
  const say = useText();
  const heading = say(step.hasCode ? 'signin.codeHeading' : 'passkey.heading');
  return (
    <Layout title={heading} hasErrors={step.problem !== null}>
      <Card>
        <CardBody>
          <h1>{heading}</h1>
          <p>{say(step.hasCode ? 'signin.codeText' : 'passkey.text')}</p>
          {!step.hasCode && step.problem?.is === 'sentence' && (
            <Notice tone="danger">
              <p>{step.problem.sentence}</p>
            </Notice>
          )}
          <Form form={step.form} className="fields">
            {step.hasCode && (
              <>
                <CodeField problem={step.problem} hasFocus acceptsRecovery />
                <Checkbox
                  name="remember"
                  label={say('signin.remember')}
                  help={say('signin.rememberHelp')}
                  isTicked={false}
                />
                <Button>{say('signin.codeSubmit')}</Button>
              </>
            )}
            {step.passkey !== null && (
              <PasskeyButton part={step.passkey} variant={step.hasCode ? 'secondary' : 'primary'}>
                {say('passkey.use')}
              </PasskeyButton>
            )}
          </Form>
        </CardBody>
        <CardFoot>
          <p className="ways">
            <a href={step.startOverUrl}>{say('signin.startOver')}</a>
          </p>
        </CardFoot>
      </Card>
    </Layout>
  );
}

function LockedView({ step }: { step: LockedStep }): ReactNode {
  const say = useText();
  return (
    <Layout title={say('gone.wait')}>
      <Statement icon="clock" heading={say('gone.wait')}>
        <p>
          <Countdown k="signin.locked" seconds={step.minutes * 60} then="reload" />
        </p>
        {step.forgotUrl !== null && <ButtonLink href={step.forgotUrl}>{say('signin.forgot')}</ButtonLink>}
      </Statement>
    </Layout>
  );
}

function SuspendedView(): ReactNode {
  const { contactAddress } = useFrame();
  const say = useText();
  return (
    <Layout title={say('signin.suspended')}>
      <Statement icon="lock" heading={say('signin.suspended')}>
        <p>
          {contactAddress === null ? (
            say('signin.suspendedPlain')
          ) : (
            <Say
              k="signin.suspendedText"
              with={{
                address: (
                  <a href={mailto(contactAddress)}>
                    <UserText>{contactAddress}</UserText>
                  </a>
                ),
              }}
            />
          )}
        </p>
      </Statement>
    </Layout>
  );
}

function SignedInView({ step }: { step: SignedInStep }): ReactNode {
  const say = useText();
  return (
    <Layout title={say('signin.already')}>
      <Statement icon="check" heading={say('signin.already')}>
        <p>
          <Say k="signin.alreadyAs" with={{ person: <PersonText person={step.person} /> }} />
        </p>
        <div className="actions">
          <ButtonLink href={step.continueUrl} variant="primary">
            {say('signin.goOn')}
          </ButtonLink>
          <Form form={step.signOutForm}>
            <Button variant="secondary" name={say('signin.signOutName', { name: visibleText(step.person.name) })}>
              {say('signin.signOut')}
            </Button>
          </Form>
        </div>
      </Statement>
    </Layout>
  );
}

interface FieldSentence {
  field: 'email' | 'password';
  sentence: string;
}

function errorAt(field: FieldSentence['field'], errors: FieldSentence[]): string | undefined {
  return errors.find((error) => error.field === field)?.sentence;
}

function passwordErrors({ problem }: PasswordStep, say: ReturnType<typeof useText>): FieldSentence[] {
  if (problem === null) return [];
  if (problem.is === 'wrong') return [{ field: 'password', sentence: say('signin.wrong') }];
  if (problem.is === 'sentence') return [{ field: 'password', sentence: problem.sentence }];
  const missing = { email: say('signin.emailMissing'), password: say('signin.passwordMissing') };
  const order = ['email', 'password'] as const;
  return order.filter((field) => problem.fields.includes(field)).map((field) => ({ field, sentence: missing[field] }));
}

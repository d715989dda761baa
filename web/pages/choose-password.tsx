// Never sends the password back.
import type { ReactNode } from 'react';
import { visibleText } from '../visible.ts';
import type { ChooseField, ChoosePasswordPage, ChooseProblem, ChooseState } from './identity-props.ts';
import { Button, ButtonLink } from './parts/button.tsx';
import { Card, CardBody } from './parts/card.tsx';
import { Field, PasswordField } from './parts/field.tsx';
import { ErrorSummary, Form } from './parts/form.tsx';
import { Say, useFrame, useText } from './parts/frame.tsx';
import { Layout } from './parts/layout.tsx';
import { Statement } from './parts/statement.tsx';
import { PersonText, UserText } from './parts/user-text.tsx';

type Texts = ReturnType<typeof useText>;
type EndedState = Extract<ChoosePasswordPage['state'], { is: 'used' | 'expired' }>;

export function ChoosePasswordView({ page }: { page: ChoosePasswordPage }): ReactNode {
  const { state } = page;
  if (state.is === 'choose') return <ChooseView kind={page.kind} state={state} />;
  return <EndedView kind={page.kind} state={state} />;
}

function ChooseView({ kind, state }: { kind: ChoosePasswordPage['kind']; state: ChooseState }): ReactNode {
  const frame = useFrame();
  const say = useText();
  const errors: Partial<Record<ChooseField, string>> = {};
  for (const problem of state.problems) errors[problem.field] ??= sentenceOf(problem, state.minPasswordLength, say);
  const order = ['name', 'password'] as const;
  const summary = order.flatMap((field) => (errors[field] ? [{ field, sentence: errors[field] }] : []));
  const organisation = frame.organisationName ?? frame.productName;
  const isInvitation = kind === 'invitation';
  return (
    <Layout
      title={isInvitation ? say('choose.welcome', { organisation: visibleText(organisation) }) : say('choose.heading')}
      hasErrors={summary.length > 0}
    >
      <ErrorSummary errors={summary} />
      <Card>
        <CardBody>
          <h1>
            {isInvitation ? (
              <Say k="choose.welcome" with={{ organisation: <UserText>{organisation}</UserText> }} />
            ) : (
              say('choose.heading')
            )}
          </h1>
          <IntroText kind={kind} invitedBy={state.invitedBy} />
          <Form form={state.form} className="fields">
            <Field
              name="email"
              type="email"
              label={say('signin.email')}
              value={state.email}
              autoComplete="username"
              isReadOnly
            />
            {isInvitation && (
              <Field
                name="name"
                label={say('setup.name')}
                help={say('choose.nameHelp')}
                value={state.name}
                error={errors.name}
                autoComplete="name"
                autoCapitalize="words"
              />
            )}
            <PasswordField
              name="password"
              label={isInvitation ? say('signin.password') : say('choose.newPassword')}
              help={say('setup.passwordHelp', { n: state.minPasswordLength })}
              error={errors.password}
              autoComplete="new-password"
              minLength={state.minPasswordLength}
            />
            <Button>{isInvitation ? say('choose.createAccount') : say('choose.save')}</Button>
          </Form>
        </CardBody>
      </Card>
    </Layout>
  );
}

function IntroText({ kind, invitedBy }: Pick<ChoosePasswordPage, 'kind'> & Pick<ChooseState, 'invitedBy'>): ReactNode {
  const say = useText();
  if (kind === 'new-password') return <p>{say('choose.givenText')}</p>;
  if (kind === 'reset') return <p>{say('choose.resetText')}</p>;
  if (invitedBy === null) return <p>{say('choose.invitedPlain')}</p>;
  return (
    <p>
      <Say k="choose.invited" with={{ person: <PersonText person={invitedBy} /> }} />
    </p>
  );
}

/** Links to a new one where people can request it themselves. */
function EndedView({ kind, state }: { kind: ChoosePasswordPage['kind']; state: EndedState }): ReactNode {
  const say = useText();
  const heading = state.is === 'used' ? say('choose.used') : say('choose.expired');
  const text = state.newLinkUrl === null && kind === 'invitation' ? say('choose.askInvitation') : say('choose.getNew');
  return (
    <Layout title={heading}>
      <Statement icon={state.is === 'used' ? 'check' : 'clock'} heading={heading}>
        <p>{text}</p>
        <div className="actions">
          <ButtonLink href={state.signInUrl} variant="primary">
            {say('signin.heading')}
          </ButtonLink>
          {state.newLinkUrl !== null && <ButtonLink href={state.newLinkUrl}>{say('choose.newLink')}</ButtonLink>}
        </div>
      </Statement>
    </Layout>
  );
}

function sentenceOf(problem: ChooseProblem, minLength: number, say: Texts): string {
  if ('sentence' in problem) return problem.sentence;
  if (problem.field === 'name') {
    return problem.reason === 'missing' ? say('setup.nameMissing') : say('setup.nameTooLong');
  }
  return {
    missing: say('setup.passwordMissing'),
    'too-short': say('setup.passwordTooShort', { n: minLength }),
    'too-common': say('setup.passwordTooCommon'),
  }[problem.reason];
}

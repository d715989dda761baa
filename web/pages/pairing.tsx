import type { ReactNode } from 'react';
import { timeOfDay } from '../formats.ts';
import type { PairingPage } from './identity-props.ts';
import { Button } from './parts/button.tsx';
import { Card, CardBody } from './parts/card.tsx';
import { Field, FixedValue } from './parts/field.tsx';
import { Form } from './parts/form.tsx';
import { Say, useFrame, useText } from './parts/frame.tsx';
import { Icon } from './parts/icon.tsx';
import { Layout } from './parts/layout.tsx';
import { Notice } from './parts/notice.tsx';
import { UserText } from './parts/user-text.tsx';

export function PairingView({ page }: { page: PairingPage }): ReactNode {
  const { step, email } = page;
  switch (step.is) {
    case 'code':
      return <CodeView step={step} email={email} />;
    case 'confirm':
      return <ConfirmView step={step} email={email} />;
    case 'done':
      return <DoneView isAllowed={step.isAllowed} />;
    case 'key':
      return <KeyView step={step} />;
  }
}

type StepProps<Is extends PairingPage['step']['is']> = {
  step: Extract<PairingPage['step'], { is: Is }>;
  email: string;
};

function CodeView({ step, email }: StepProps<'code'>): ReactNode {
  const say = useText();
  return (
    <Layout title={say('pairing.heading')} hasErrors={step.problem !== null}>
      <Card>
        <CardBody>
          <h1>{say('pairing.heading')}</h1>
          <p>
            <Say k="pairing.intro" with={{ email: <UserText>{email}</UserText> }} />
          </p>
          <Form form={step.form} className="fields">
            <Field
              name="code"
              label={say('pairing.code')}
              help={say('confirm.codeHelp')}
              error={problemOf(step.problem, say)}
              hasFocus
              isCode
              autoComplete="off"
              autoCapitalize="characters"
              maxLength={32}
            />
            <Button>{say('confirm.continue')}</Button>
          </Form>
        </CardBody>
      </Card>
    </Layout>
  );
}

function problemOf(problem: StepProps<'code'>['step']['problem'], say: ReturnType<typeof useText>): string | null {
  if (problem === null) return null;
  if (problem.is === 'sentence') return problem.sentence;
  return problem.is === 'missing' ? say('pairing.codeMissing') : say('pairing.codeWrong');
}

function ConfirmView({ step, email }: StepProps<'confirm'>): ReactNode {
  const { locale, timeZone } = useFrame();
  const say = useText();
  const hidden = (answer: string) => ({ ...step.form, hidden: { ...step.form.hidden, answer } });
  return (
    <Layout title={say('pairing.confirmHeading')}>
      <Card>
        <CardBody>
          <h1>{say('pairing.confirmHeading')}</h1>
          <p>
            <Say k="pairing.confirmText" with={{ email: <UserText>{email}</UserText> }} />
          </p>
          <div className="fields">
            <FixedValue label={say('pairing.program')} value={<UserText>{step.name}</UserText>} />
            <FixedValue label={say('pairing.from')} value={step.address} />
            <FixedValue
              label={say('pairing.askedAt')}
              value={timeOfDay(locale, timeZone, new Date(step.askedAt).toISOString())}
            />
          </div>
          <Notice tone="warning">
            <p>{say('pairing.warning')}</p>
          </Notice>
          <div className="fields">
            <Form form={hidden('allow')}>
              <Button>{say('pairing.allow')}</Button>
            </Form>
            <Form form={hidden('refuse')}>
              <Button variant="secondary">{say('pairing.refuse')}</Button>
            </Form>
          </div>
        </CardBody>
      </Card>
    </Layout>
  );
}

function KeyView({ step: { apiKey, handOver } }: { step: StepProps<'key'>['step'] }): ReactNode {
  const say = useText();
  return (
    <Layout title={say('pairing.keyHeading')}>
      <div className="intro intro-done">
        <Icon name="check" />
        <h1>{say('pairing.keyHeading')}</h1>
        <p>{say('pairing.keyText')}</p>
        <input type="hidden" id="api_key" value={apiKey} />
        {handOver !== null && (
          <div data-hand-over="">
            <Form form={handOver}>
              <Button>{say('pairing.handOver')}</Button>
            </Form>
          </div>
        )}
      </div>
    </Layout>
  );
}

function DoneView({ isAllowed }: { isAllowed: boolean }): ReactNode {
  const say = useText();
  const heading = isAllowed ? say('pairing.allowedHeading') : say('pairing.refusedHeading');
  return (
    <Layout title={heading}>
      <div className="intro intro-done">
        <Icon name={isAllowed ? 'check' : 'info'} />
        {/* biome-ignore lint/a11y/noAutofocus: a new page after a decision begins with the outcome. */}
        <h1 tabIndex={-1} autoFocus>
          {heading}
        </h1>
        <p>{isAllowed ? say('pairing.allowedText') : say('pairing.refusedText')}</p>
      </div>
    </Layout>
  );
}

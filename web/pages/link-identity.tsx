// Proof that an account belongs to the person who signed in through a service.
import type { ReactNode } from 'react';
import type { LinkStep } from './identity-props.ts';
import { Button } from './parts/button.tsx';
import { Card, CardBody, CardFoot } from './parts/card.tsx';
import { Field, PasswordField } from './parts/field.tsx';
import { ErrorSummary, Form } from './parts/form.tsx';
import { Say, useText } from './parts/frame.tsx';
import { Layout } from './parts/layout.tsx';
import { UserText } from './parts/user-text.tsx';

export function LinkView({ step }: { step: LinkStep }): ReactNode {
  const say = useText();
  const { problem } = step;
  const errors = problem === null ? [] : [problem];
  const errorAt = (field: 'password' | 'code') => (problem?.field === field ? problem.sentence : undefined);
  const heading = say('signin.linkHeading');
  const formOf = (way: string) => ({ ...step.form, hidden: { ...step.form.hidden, way } });
  return (
    <Layout title={heading} hasErrors={errors.length > 0}>
      <ErrorSummary errors={errors} />
      <Card>
        <CardBody>
          <h1>{heading}</h1>
          <p>
            <Say
              k="signin.linkText"
              with={{ address: <UserText>{step.email}</UserText>, service: <UserText>{step.service}</UserText> }}
            />
          </p>
          {step.isCodeSent ? (
            <Form form={formOf('code')} className="fields">
              <Field
                name="code"
                label={say('signin.linkCode')}
                help={say('signin.linkCodeHelp')}
                error={errorAt('code')}
                autoComplete="one-time-code"
              />
              <Button>{say('signin.linkSubmit')}</Button>
            </Form>
          ) : (
            <>
              {step.hasPassword && (
                <Form form={formOf('password')} className="fields">
                  <PasswordField
                    name="password"
                    label={say('signin.password')}
                    error={errorAt('password')}
                    autoComplete="current-password"
                  />
                  <Field name="app_code" label={say('signin.linkAppCode')} autoComplete="one-time-code" />
                  <Button>{say('signin.linkSubmit')}</Button>
                </Form>
              )}
              <p className="muted">{say('signin.linkMailHelp')}</p>
              <Form form={formOf('mail')}>
                <Button variant="secondary">{say('signin.linkMail')}</Button>
              </Form>
            </>
          )}
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

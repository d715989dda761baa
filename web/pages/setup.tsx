// Never sends the password back.
import type { ReactNode } from 'react';
import { Button } from './parts/button.tsx';
import { Card, CardStrip } from './parts/card.tsx';
import { Field, FixedValue, PasswordField } from './parts/field.tsx';
import { ErrorSummary, Form } from './parts/form.tsx';
import { Say, useFrame, useText } from './parts/frame.tsx';
import { Layout } from './parts/layout.tsx';
import { Step } from './parts/step.tsx';
import { UserText } from './parts/user-text.tsx';
import type { SetupField, SetupPage, SetupProblem } from './props.ts';

type Errors = Partial<Record<SetupField, string>>;

/** On the page and in the summary. */
const fieldOrder: SetupField[] = ['token', 'name', 'email', 'password', 'organisation', 'public_address'];

export function SetupView({ page }: { page: SetupPage }): ReactNode {
  const { productName } = useFrame();
  const say = useText();
  const errors: Errors = {};
  for (const problem of page.problems) errors[problem.field] ??= sentenceOf(problem, page, say);
  const summary = fieldOrder.flatMap((field) => (errors[field] ? [{ field, sentence: errors[field] }] : []));
  const heading = say('setup.heading', { product: productName });
  return (
    <Layout title={heading} hasErrors={summary.length > 0}>
      <ErrorSummary errors={summary} />
      <div className="intro">
        <h1>{heading}</h1>
        <p>{say('setup.intro')}</p>
      </div>
      <Form form={page.form}>
        <Card>
          <Step number={1} title={say('setup.tokenStep')}>
            <TokenField page={page} error={errors.token} />
          </Step>
          <Step number={2} title={say('setup.youStep')}>
            <PersonFields page={page} errors={errors} />
          </Step>
          <Step number={3} title={say('setup.organisationStep')}>
            <OrganisationFields page={page} errors={errors} />
          </Step>
          <CardStrip>
            <Button>{say('setup.submit')}</Button>
          </CardStrip>
        </Card>
      </Form>
    </Layout>
  );
}

function TokenField({ page, error }: { page: SetupPage; error: string | undefined }): ReactNode {
  const say = useText();
  const source = page.tokenSource;
  return (
    <Field
      name="token"
      label={say('setup.token')}
      help={
        source.is === 'file' ? (
          <Say k="setup.tokenHelpFile" with={{ path: <code>{source.path}</code> }} />
        ) : (
          <Say k="setup.tokenHelpVariable" with={{ variable: <code>{source.variable}</code> }} />
        )
      }
      value={page.values.token}
      error={error}
      isCode
      autoComplete="off"
      autoCapitalize="none"
    />
  );
}

function PersonFields({ page, errors }: { page: SetupPage; errors: Errors }): ReactNode {
  const say = useText();
  return (
    <>
      <Field
        name="name"
        label={say('setup.name')}
        value={page.values.name}
        error={errors.name}
        autoComplete="name"
        autoCapitalize="words"
      />
      <Field
        name="email"
        type="email"
        label={say('setup.email')}
        help={say('setup.emailHelp')}
        value={page.values.email}
        error={errors.email}
        autoComplete="email"
        autoCapitalize="none"
      />
      <PasswordField
        name="password"
        label={say('setup.password')}
        help={say('setup.passwordHelp', { n: page.minPasswordLength })}
        error={errors.password}
        autoComplete="new-password"
        minLength={page.minPasswordLength}
      />
    </>
  );
}

function OrganisationFields({ page, errors }: { page: SetupPage; errors: Errors }): ReactNode {
  const say = useText();
  const { values, publicAddressSetBy } = page;
  const label = say('setup.publicAddress');
  return (
    <>
      <Field
        name="organisation"
        label={say('setup.organisation')}
        help={say('setup.organisationHelp')}
        value={values.organisation}
        error={errors.organisation}
        autoComplete="organization"
        autoCapitalize="words"
      />
      {publicAddressSetBy === null ? (
        <Field
          name="public_address"
          type="url"
          label={label}
          help={say('setup.publicAddressHelp')}
          value={values.public_address}
          error={errors.public_address}
          remark={differs(page) ? <AddressRemark address={page.addressInUse} /> : undefined}
          autoComplete="off"
          autoCapitalize="none"
        />
      ) : (
        <FixedValue
          label={label}
          value={<UserText>{values.public_address}</UserText>}
          reason={say('part.setBy', { variable: publicAddressSetBy })}
        />
      )}
    </>
  );
}

function AddressRemark({ address }: { address: string }): ReactNode {
  return <Say k="setup.addressDiffers" with={{ address: <UserText>{address}</UserText> }} />;
}

function differs({ values, addressInUse }: SetupPage): boolean {
  if (!URL.canParse(values.public_address) || !URL.canParse(addressInUse)) return false;
  return new URL(values.public_address).origin !== new URL(addressInUse).origin;
}

function sentenceOf(problem: SetupProblem, page: SetupPage, say: ReturnType<typeof useText>): string {
  if ('sentence' in problem) return problem.sentence;
  switch (problem.field) {
    case 'token':
      if (problem.reason === 'missing') return say('setup.tokenMissing');
      return problem.reason === 'wrong' ? say('setup.tokenWrong') : say('setup.tokenTooMany');
    case 'name':
      return problem.reason === 'missing' ? say('setup.nameMissing') : say('setup.nameTooLong');
    case 'email':
      return problem.reason === 'missing' ? say('setup.emailMissing') : say('setup.emailInvalid');
    case 'password':
      if (problem.reason === 'missing') return say('setup.passwordMissing');
      return problem.reason === 'too-short'
        ? say('setup.passwordTooShort', { n: page.minPasswordLength })
        : say('setup.passwordTooCommon');
    case 'organisation':
      return problem.reason === 'missing' ? say('setup.organisationMissing') : say('setup.organisationTooLong');
    case 'public_address':
      return problem.reason === 'missing' ? say('setup.publicAddressMissing') : say('setup.publicAddressInvalid');
  }
}

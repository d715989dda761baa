import type { ReactNode } from 'react';
import type { TotpSetupPage } from './identity-props.ts';
import { Button } from './parts/button.tsx';
import { Card, CardStrip } from './parts/card.tsx';
import { CodeField } from './parts/code-field.tsx';
import { CopyableCode } from './parts/copyable-code.tsx';
import { FixedValue } from './parts/field.tsx';
import { Form } from './parts/form.tsx';
import { useText } from './parts/frame.tsx';
import { Layout } from './parts/layout.tsx';
import { Step } from './parts/step.tsx';
import { UserText } from './parts/user-text.tsx';

export function TotpSetupView({ page }: { page: TotpSetupPage }): ReactNode {
  const say = useText();
  return (
    <Layout title={say('totp.heading')} hasErrors={page.problem !== null}>
      <div className="intro">
        <h1>{say('totp.heading')}</h1>
        <p>{say('totp.intro')}</p>
      </div>
      <Form form={page.form}>
        <Card>
          <Step number={1} title={say('totp.addStep')}>
            <p>{say('totp.addText')}</p>
            <div className="field">
              <CopyableCode label={say('totp.key')} value={inGroups(page.secret)} />
              <p className="help">{say('totp.keyHelp')}</p>
            </div>
            <FixedValue label={say('totp.account')} value={<UserText>{page.email}</UserText>} />
            <p>
              <a href={page.otpauthUri}>{say('totp.openApp')}</a>
            </p>
          </Step>
          <Step number={2} title={say('totp.codeStep')}>
            <CodeField problem={page.problem} />
          </Step>
          <CardStrip>
            <Button>{say('totp.submit')}</Button>
          </CardStrip>
        </Card>
      </Form>
    </Layout>
  );
}

/** Easier to type; apps ignore spaces. */
function inGroups(secret: string): string {
  return secret.match(/.{1,4}/g)?.join(' ') ?? secret;
}

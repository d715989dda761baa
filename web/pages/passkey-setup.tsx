import type { ReactNode } from 'react';
import type { PasskeySetupPage } from './identity-props.ts';
import { Card, CardBody } from './parts/card.tsx';
import { Form } from './parts/form.tsx';
import { useText } from './parts/frame.tsx';
import { Layout } from './parts/layout.tsx';
import { Notice } from './parts/notice.tsx';
import { PasskeyButton } from './parts/passkey-button.tsx';

export function PasskeySetupView({ page }: { page: PasskeySetupPage }): ReactNode {
  const say = useText();
  return (
    <Layout title={say('passkey.setupHeading')} hasErrors={page.problem !== null}>
      <Card>
        <CardBody>
          <h1>{say('passkey.setupHeading')}</h1>
          {page.problem !== null && (
            <Notice tone="danger">
              <p>{page.problem}</p>
            </Notice>
          )}
          <p>{say('passkey.setupText')}</p>
          <Form form={page.form}>
            <PasskeyButton part={page.passkey} does="create" variant="primary">
              {say('passkey.create')}
            </PasskeyButton>
          </Form>
        </CardBody>
      </Card>
    </Layout>
  );
}

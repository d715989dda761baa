// Ten codes that are shown once.
import type { ReactNode } from 'react';
import type { RecoveryCodesPage } from './identity-props.ts';
import { ButtonLink } from './parts/button.tsx';
import { Card, CardBody, CardStrip } from './parts/card.tsx';
import { useText } from './parts/frame.tsx';
import { Layout } from './parts/layout.tsx';

export function RecoveryCodesView({ page }: { page: RecoveryCodesPage }): ReactNode {
  const say = useText();
  return (
    <Layout title={say('totp.recoveryHeading')}>
      <Card>
        <CardBody>
          <h1>{say('totp.recoveryHeading')}</h1>
          <p>{say('totp.recoveryText')}</p>
          <ul>
            {page.codes.map((code) => (
              <li key={code}>
                <code>{code}</code>
              </li>
            ))}
          </ul>
        </CardBody>
        <CardStrip>
          <ButtonLink href={page.continueUrl}>{say('totp.recoveryContinue')}</ButtonLink>
        </CardStrip>
      </Card>
    </Layout>
  );
}

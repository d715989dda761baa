import type { ReactNode } from 'react';
import { visibleText } from '../visible.ts';
import { ButtonLink } from './parts/button.tsx';
import { Card, CardBody, CardStrip } from './parts/card.tsx';
import { Say, useFrame, useText } from './parts/frame.tsx';
import { Layout } from './parts/layout.tsx';
import { UserText } from './parts/user-text.tsx';
import type { HomePage } from './props.ts';

export function HomeView({ page }: { page: HomePage }): ReactNode {
  const frame = useFrame();
  const say = useText();
  const organisation = frame.organisationName ?? frame.productName;
  if (page.setupUrl !== null) {
    return (
      <Layout title={say('home.notSetUp')}>
        <Card>
          <CardBody>
            <h1>{say('home.notSetUp')}</h1>
            <p>{say('home.notSetUpText')}</p>
          </CardBody>
          <CardStrip>
            <ButtonLink href={page.setupUrl} variant="primary">
              {say('home.setUp')}
            </ButtonLink>
          </CardStrip>
        </Card>
      </Layout>
    );
  }
  return (
    <Layout title={visibleText(organisation)}>
      <Card>
        <CardBody>
          <h1>
            <UserText>{organisation}</UserText>
          </h1>
          <p>
            <Say k="home.text" with={{ organisation: <UserText>{organisation}</UserText> }} />
          </p>
          <p className="muted">{say('home.hint')}</p>
        </CardBody>
        <CardStrip>
          <ButtonLink href={page.signInUrl} variant="primary">
            {say('home.signIn')}
          </ButtonLink>
          {page.apiUrl !== null && <ButtonLink href={page.apiUrl}>{say('home.api')}</ButtonLink>}
        </CardStrip>
      </Card>
    </Layout>
  );
}

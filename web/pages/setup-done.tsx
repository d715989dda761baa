import type { ReactNode } from 'react';
import { posixQuote } from '../checksum.ts';
import { visibleText } from '../visible.ts';
import { ButtonLink } from './parts/button.tsx';
import { Card, CardBody, CardStrip } from './parts/card.tsx';
import { CopyableCode, CopyField } from './parts/copyable-code.tsx';
import { Disclosure } from './parts/disclosure.tsx';
import { Say, useFrame, useText } from './parts/frame.tsx';
import { Icon } from './parts/icon.tsx';
import { Layout } from './parts/layout.tsx';
import { UserText } from './parts/user-text.tsx';
import type { SetupDonePage } from './props.ts';

export function SetupDoneView({ page }: { page: SetupDonePage }): ReactNode {
  const frame = useFrame();
  const say = useText();
  const organisation = frame.organisationName ?? frame.productName;
  return (
    <Layout title={say('done.heading', { organisation: visibleText(organisation) })}>
      <div className="intro intro-done">
        <Icon name="check" />
        <h1>
          <Say k="done.heading" with={{ organisation: <UserText>{organisation}</UserText> }} />
        </h1>
        <p>
          <Say k="done.admin" with={{ email: <UserText>{page.email}</UserText> }} />
        </p>
      </div>
      <Card>
        <CardBody>
          <CopyField id="api-key" label={say('done.key')} help={say('done.keyHelp')} value={page.apiKey} />
        </CardBody>
        <CardBody>
          <h2>{say('done.next')}</h2>
          <ol className="next">
            {page.masterKeyFile !== null && (
              <li>
                <Say k="done.nextKey" with={{ path: <code>{page.masterKeyFile}</code> }} />
              </li>
            )}
            <li>{say('done.nextList')}</li>
          </ol>
        </CardBody>
        <CardStrip>
          <ButtonLink href={page.checklistUrl} variant="primary">
            {say('done.checklist')}
          </ButtonLink>
          <ButtonLink href={page.sendUrl}>{say('done.send')}</ButtonLink>
        </CardStrip>
      </Card>
      <Disclosure title={say('done.firstFile')}>
        <p>{say('done.firstFileText')}</p>
        <CopyableCode label={say('done.exampleLabel')} value={firstFile(page)} />
        <p className="help">{say('part.clickSelects')}</p>
        {page.apiUrl !== null && (
          <p>
            <Say k="done.nextApi" with={{ link: <a href={page.apiUrl}>{page.apiUrl}</a> }} />
          </p>
        )}
      </Disclosure>
    </Layout>
  );
}

/** Needs only curl and sed. */
function firstFile({ apiKey, baseUrl }: SetupDonePage): string {
  const bearer = posixQuote(`Authorization: Bearer ${apiKey}`);
  const upload = posixQuote(`${baseUrl}/link/attachments/upload?filename=report.pdf`);
  return [
    `AUTH=${bearer}`,
    `ID=$(curl -sS -X POST -T report.pdf -H "$AUTH" ${upload} | sed 's/.*"id":"\\([^"]*\\)".*/\\1/')`,
    `curl -H "$AUTH" -H 'Content-Type: application/json' -d '{"link":{"attachment":"'$ID'"}}' ${posixQuote(`${baseUrl}/link`)}`,
  ].join('\n');
}

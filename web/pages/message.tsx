// Opening the page has no effects; only clicks do.
import type { ReactNode } from 'react';
import { visibleText } from '../visible.ts';
import type { MessageBody, MessagePage } from './message-props.ts';
import { Button } from './parts/button.tsx';
import { Card, CardBody, CardFoot } from './parts/card.tsx';
import { CheckFiles } from './parts/check-files.tsx';
import { Disclosure } from './parts/disclosure.tsx';
import { Fact, Facts, UntilFact } from './parts/facts.tsx';
import { Form } from './parts/form.tsx';
import { Say, useFrame, useText } from './parts/frame.tsx';
import { Icon } from './parts/icon.tsx';
import { Layout } from './parts/layout.tsx';
import { MessageFiles } from './parts/message-files.tsx';
import { Notice } from './parts/notice.tsx';
import { PageNotices } from './parts/page-notices.tsx';
import { PasskeyFact } from './parts/passkey-fact.tsx';
import { Paragraphs, PersonText, UserText } from './parts/user-text.tsx';
import type { PageNotice, Person } from './props.ts';

export function MessageView({ page }: { page: MessagePage }): ReactNode {
  const say = useText();
  const name = visibleText(page.sender.name);
  // The mail says the same.
  const unnamed = say('message.noSubject', { sender: name, fileCount: page.files.length });
  const title = page.subject === '' ? unnamed : say('message.title', { subject: visibleText(page.subject), name });
  const available = page.files.filter(({ state }) => state.is !== 'removed');
  return (
    <Layout title={title} isRecipientPage>
      <PageNotices notices={noticesOf(page)} about={page.isPrivate || page.subject === '' ? null : page.subject} />
      {page.senderView && <SenderStrip appUrl={page.senderView.appUrl} />}
      <Card>
        <CardBody>
          <div className="from">
            <p>
              <Say k="message.from" with={{ person: <PersonText person={page.sender} /> }} />
            </p>
            {page.otherRecipients && <OtherRecipients {...page.otherRecipients} />}
          </div>
          <h1>{page.subject === '' ? unnamed : <UserText>{page.subject}</UserText>}</h1>
          <Body page={page} />
        </CardBody>
        {page.files.length > 0 && <MessageFiles page={page} />}
        <CardFoot>
          <Facts freshAs="facts">
            <UntilFact until={page.until} />
            <AudienceFact page={page} />
            {page.downloadsLeft !== null && page.downloadsLeft > 0 && page.files.length > 0 && (
              <Fact icon="download">
                {say('message.downloadsLeft', { n: page.downloadsLeft, files: page.files.length })}
              </Fact>
            )}
            <PasskeyFact hint={page.passkeys} />
          </Facts>
        </CardFoot>
      </Card>
      <CheckFiles files={available} />
    </Layout>
  );
}

/** When nothing is left, one notice says so and whom to ask. */
function noticesOf({ notices, files, sender }: MessagePage): PageNotice[] {
  const there = files.filter(({ state }) => state.is !== 'removed');
  const isUsedUp = there.length > 0 && there.every(({ state }) => state.is === 'used-up');
  if (!isUsedUp || notices.some(({ is }) => is === 'limit-reached')) return notices;
  return [...notices, { is: 'limit-reached', what: 'downloads', sender }];
}

function Body({ page }: { page: MessagePage }): ReactNode {
  const say = useText();
  if (!page.isPrivate) return <Text body={page.body} />;
  const name = <UserText>{page.sender.name}</UserText>;
  if (page.body.is === 'unread') {
    return (
      <div className="private">
        <p className="private-mark">
          <Icon name="lock" />
          <span>
            <strong>{say('message.private')}</strong> <Say k="message.privateTold" with={{ name }} />
          </span>
        </p>
        <Form form={page.body.form}>
          <Button variant={page.files.length > 0 ? 'secondary' : 'primary'}>{say('message.read')}</Button>
        </Form>
      </div>
    );
  }
  return (
    <>
      <p className="private-mark">
        <Icon name="lock" />
        <span>
          <strong>{say('message.private')}</strong> <Say k="message.privateWasTold" with={{ name }} />
        </span>
      </p>
      <Text body={page.body} />
    </>
  );
}

function Text({ body }: { body: MessageBody }): ReactNode {
  if (body.is === 'text') return <Paragraphs>{body.text}</Paragraphs>;
  if (body.is !== 'html') return null;
  // biome-ignore lint/security/noDangerouslySetInnerHtml: the one value the server has sanitised for this purpose.
  return <div className="message-html" dangerouslySetInnerHTML={{ __html: body.bodyHtml }} />;
}

function AudienceFact({ page: { audience, isOnlyRecipient } }: { page: MessagePage }): ReactNode {
  const frame = useFrame();
  const say = useText();
  const organisation = visibleText(frame.organisationName ?? frame.productName);
  const n = isOnlyRecipient ? 1 : 2;
  const sentences: Record<MessagePage['audience'], string> = {
    anyone: say('message.anyone'),
    anyoneSignedIn: say('message.anyoneSignedIn'),
    recipientsAndLocal: say('message.recipientsAndLocal', { n, organisation }),
    recipientsOnly: say('message.recipientsOnly', { n }),
    recipientsAndDomains: say('message.recipientsAndDomains', { n }),
  };
  return <Fact icon="people">{sentences[audience]}</Fact>;
}

const fewRecipients = 4;

function OtherRecipients({ to, cc }: { to: Person[]; cc: Person[] }): ReactNode {
  const say = useText();
  const count = to.length + cc.length;
  if (count === 0) return null;
  const lines = (
    <>
      {to.length > 0 && <RecipientLine k="message.to" people={to} />}
      {cc.length > 0 && <RecipientLine k="message.cc" people={cc} />}
    </>
  );
  if (count <= fewRecipients) return lines;
  return <Disclosure title={say('message.recipientCount', { n: count })}>{lines}</Disclosure>;
}

function RecipientLine({ k, people }: { k: 'message.to' | 'message.cc'; people: Person[] }): ReactNode {
  const names = people.map((person, index) => (
    <span key={person.address ?? person.name}>
      {index > 0 && ', '}
      <UserText>{person.address ?? person.name}</UserText>
    </span>
  ));
  return (
    <p>
      <Say k={k} with={{ people: <span>{names}</span> }} />
    </p>
  );
}

function SenderStrip({ appUrl }: { appUrl: string | null }): ReactNode {
  const say = useText();
  return (
    <Notice tone="info" title={say('message.senderView')}>
      {appUrl !== null && <a href={appUrl}>{say('message.openInApp')}</a>}
    </Notice>
  );
}

import type { ReactNode } from 'react';
import { dayOf, longDate, timeOfDay, zoneName } from '../formats.ts';
import { visibleText } from '../visible.ts';
import type { DeliveredFile, DeliveredPage } from './delivery-props.ts';
import { Button, ButtonLink } from './parts/button.tsx';
import { Card, CardBody, CardFoot, CardStrip } from './parts/card.tsx';
import { CheckSentence } from './parts/check-progress.tsx';
import { CopyButton } from './parts/copyable-code.tsx';
import { FileRow } from './parts/file-row.tsx';
import { Form } from './parts/form.tsx';
import { Say, useFrame, useText } from './parts/frame.tsx';
import { Icon } from './parts/icon.tsx';
import { Layout } from './parts/layout.tsx';
import { UserText } from './parts/user-text.tsx';

export function DeliveredView({ page }: { page: DeliveredPage }): ReactNode {
  const say = useText();
  return (
    <Layout title={say('delivered.heading')} isRecipientPage>
      <div className="intro intro-done">
        <Icon name="check" />
        {/* biome-ignore lint/a11y/noAutofocus: a new page after a long form begins with the outcome. */}
        <h1 tabIndex={-1} autoFocus>
          {say('delivered.heading')}
        </h1>
        <p>
          {page.recipient ? (
            <Say k="delivered.told" with={{ name: <UserText>{page.recipient.name}</UserText> }} />
          ) : (
            say('delivered.toldPlain')
          )}
        </p>
      </div>
      <Card>
        <CardBody>
          <dl className="pairs">
            <Pair label={say('delivered.when')}>
              <When instant={page.deliveredAt} />
            </Pair>
            <Pair label={say('delivered.reference')}>
              <code className="selectable">{page.reference}</code>
            </Pair>
          </dl>
        </CardBody>
        <Files files={page.files} checkAgainUrl={page.checkAgainUrl} />
        <CardFoot>
          <Receipt receipt={page.receipt} />
        </CardFoot>
        {page.sendMoreUrl !== null && (
          <CardStrip>
            <ButtonLink href={page.sendMoreUrl} icon="upload">
              {say('delivered.more')}
            </ButtonLink>
          </CardStrip>
        )}
      </Card>
      {page.sendMoreUrl === null && <p className="help center">{say('delivered.closed')}</p>}
    </Layout>
  );
}

function Files({ files, checkAgainUrl }: Pick<DeliveredPage, 'files' | 'checkAgainUrl'>): ReactNode {
  const say = useText();
  const checksums = files.filter(({ sha256 }) => sha256 !== null).map(({ name, sha256 }) => `${sha256}  ${name}`);
  return (
    <div>
      <div className="row row-head">
        <h2>{say('delivered.files', { n: files.length })}</h2>
        {checksums.length > 0 && <CopyButton label={say('delivered.copyAll')} text={checksums.join('\n')} />}
      </div>
      <ul className="rows">
        {files.map((file) => (
          <li className="row" key={`${file.name} ${file.sha256}`}>
            <FileRow
              file={file}
              state={
                <>
                  <CheckState check={file.check} />
                  {file.sha256 !== null && <Checksum name={file.name} sha256={file.sha256} />}
                </>
              }
            />
          </li>
        ))}
        {checkAgainUrl !== null && (
          <li className="row row-note" data-refreshes="">
            <p className="muted">{say('delivered.checking')}</p>
            <ButtonLink href={checkAgainUrl}>{say('part.checkAgain')}</ButtonLink>
          </li>
        )}
      </ul>
    </div>
  );
}

function CheckState({ check }: Pick<DeliveredFile, 'check'>): ReactNode {
  const say = useText();
  if (check === null) return null;
  if (check.is === 'waiting')
    return (
      <span className="file-state">
        <Icon name="clock" /> <CheckSentence check={check} />
      </span>
    );
  return (
    <span className="file-state state-bad">
      <Icon name="alert" /> {say(check.isInfected ? 'delivered.infected' : 'delivered.held')}
    </span>
  );
}

function Checksum({ name, sha256 }: { name: string; sha256: string }): ReactNode {
  const say = useText();
  return (
    <span className="file-state checksum">
      <span className="visually-hidden">{say('delivered.checksumOf', { file: visibleText(name) })} </span>
      <span aria-hidden="true">{say('delivered.checksum')} </span>
      <code className="selectable">{sha256}</code>
    </span>
  );
}

function Pair({ label, children }: { label: string; children: ReactNode }): ReactNode {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function When({ instant }: { instant: string }): ReactNode {
  const { locale, timeZone } = useFrame();
  const say = useText();
  const day = dayOf(timeZone, instant);
  const when = { date: longDate(locale, day), time: timeOfDay(locale, timeZone, instant) };
  return <time dateTime={instant}>{say('delivered.moment', { ...when, zone: zoneName(locale, timeZone, day) })}</time>;
}

function Receipt({ receipt }: { receipt: DeliveredPage['receipt'] }): ReactNode {
  const { canSendMail } = useFrame();
  const say = useText();
  if (receipt === null) return <p className="help">{say('delivered.keep')}</p>;
  if (receipt.is === 'sent') {
    if (canSendMail === false)
      return (
        <p className="help">
          <Say k="delivered.receiptWaits" with={{ address: <UserText>{receipt.address}</UserText> }} />
        </p>
      );
    return (
      <p className="line state-good">
        <Icon name="check" />
        <span>
          <Say k="delivered.receiptSent" with={{ address: <UserText>{receipt.address}</UserText> }} />
        </span>
      </p>
    );
  }
  if (receipt.is === 'failed') {
    return (
      <p className="line state-bad" role="alert">
        <Icon name="alert" />
        <span>{receipt.sentence}</span>
      </p>
    );
  }
  return (
    <Form form={receipt.form} className="receipt">
      <Button variant="secondary" icon="mail">
        {say('delivered.receipt')}
      </Button>
      <p className="help">
        <Say k="delivered.receiptTo" with={{ address: <UserText>{receipt.address}</UserText> }} />
      </p>
    </Form>
  );
}

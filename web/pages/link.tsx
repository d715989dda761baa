// R4, the page of a link: one file, one button. Looking at it spends nothing; only the press does.
import type { ReactNode } from 'react';
import { checkCommands, nameFitsCommand } from './checksum.ts';
import { daysAhead, longDate, zoneName } from './formats.ts';
import { Button, ButtonLink } from './parts/button.tsx';
import { Card, CardBody, CardFoot, CardStrip } from './parts/card.tsx';
import { CopyableCode, CopyField } from './parts/copyable-code.tsx';
import { Disclosure } from './parts/disclosure.tsx';
import { Fact, Facts } from './parts/facts.tsx';
import { FileRow } from './parts/file-row.tsx';
import { Form } from './parts/form.tsx';
import { Say, useFrame, useText } from './parts/frame.tsx';
import { Layout } from './parts/layout.tsx';
import { Notice } from './parts/notice.tsx';
import { PersonText } from './parts/user-text.tsx';
import type { LinkPage, PageNotice, UntilDate } from './props.ts';
import { visibleText } from './visible.ts';

/** From so many days before the end the fact becomes a warning. */
const warnDays = 3;

export function LinkView({ page }: { page: LinkPage }): ReactNode {
  const say = useText();
  const file = visibleText(page.file.name);
  const title = page.sharedBy ? say('link.title', { file, name: visibleText(page.sharedBy.name) }) : file;
  return (
    <Layout title={title} isRecipientPage>
      {page.notices.map((notice) => (
        <LinkNotice notice={notice} key={notice.is === 'sentence' ? notice.sentence : notice.is} />
      ))}
      {page.owner && <OwnerStrip owner={page.owner} />}
      <Card>
        <CardBody>
          <p className="from">
            {page.sharedBy ? (
              <Say k="link.sharedBy" with={{ person: <PersonText person={page.sharedBy} /> }} />
            ) : (
              say('link.shared')
            )}
          </p>
          <FileRow file={page.file} nameAs="h1" />
        </CardBody>
        <CardStrip>
          <DownloadAction page={page} />
        </CardStrip>
        <CardFoot>
          <Facts>
            <UntilFact until={page.until} />
          </Facts>
        </CardFoot>
      </Card>
      {page.file.sha256 !== null && <CheckFile name={page.file.name} sha256={page.file.sha256} />}
    </Layout>
  );
}

function DownloadAction({ page }: { page: LinkPage }): ReactNode {
  const say = useText();
  if (page.download.is === 'being-checked') {
    return (
      <>
        <p>{say('link.checking')}</p>
        <ButtonLink href={page.download.checkAgainUrl}>{say('link.checkAgain')}</ButtonLink>
      </>
    );
  }
  const name = say('link.downloadName', { file: visibleText(page.file.name), size: page.file.sizeText });
  return (
    <Form form={page.download.form} className="grow">
      <Button icon="download" name={name}>
        {say('link.download')}
      </Button>
    </Form>
  );
}

function UntilFact({ until }: { until: UntilDate | null }): ReactNode {
  const { locale, timeZone } = useFrame();
  const say = useText();
  if (until === null) return <Fact icon="clock">{say('link.noEnd')}</Fact>;
  const date = <strong>{longDate(locale, until.date)}</strong>;
  return (
    <Fact icon="clock" isWarning={until.daysLeft <= warnDays}>
      <Say k="link.until" with={{ date, relative: daysAhead(locale, until.daysLeft) }} />
      <span className="fact-detail">{say('link.untilZone', { zone: zoneName(locale, timeZone, until.date) })}</span>
    </Fact>
  );
}

function CheckFile({ name, sha256 }: { name: string; sha256: string }): ReactNode {
  const say = useText();
  const systems = { linux: say('check.linux'), macos: say('check.macos'), windows: say('check.windows') };
  return (
    <Disclosure title={say('check.title')}>
      <CopyableCode label={say('check.checksum')} value={sha256} />
      <p>{nameFitsCommand(name) ? say('check.intro') : say('check.introPlaceholder')}</p>
      {checkCommands(name, sha256).map(({ system, command }) => (
        <CopyableCode label={systems[system]} value={command} key={system} />
      ))}
      <p className="help">{say('part.clickSelects')}</p>
    </Disclosure>
  );
}

function OwnerStrip({ owner }: { owner: NonNullable<LinkPage['owner']> }): ReactNode {
  const say = useText();
  return (
    <Notice tone="info" title={say('link.ownerTitle')}>
      <p>{say('link.ownerDownloads', { n: owner.downloadCount })}</p>
      <CopyField id="link-url" label={say('link.ownerCopy')} value={owner.linkUrl} />
      {owner.settingsUrl !== null && <a href={owner.settingsUrl}>{say('link.ownerSettings')}</a>}
    </Notice>
  );
}

function LinkNotice({ notice }: { notice: PageNotice }): ReactNode {
  const say = useText();
  if (notice.is === 'sentence') {
    return (
      <Notice tone={notice.tone} requestId={notice.requestId}>
        <p>{notice.sentence}</p>
      </Notice>
    );
  }
  return (
    <Notice tone="danger" title={say('link.troubleTitle')} requestId={notice.requestId}>
      <p>{say('link.trouble')}</p>
    </Notice>
  );
}

// Only the click on its button counts as a download.
import type { ReactNode } from 'react';
import { downloadCommand } from '../download-command.ts';
import { visibleText } from '../visible.ts';
import { Button, ButtonLink } from './parts/button.tsx';
import { Card, CardBody, CardFoot, CardStrip } from './parts/card.tsx';
import { CheckFiles } from './parts/check-files.tsx';
import { CheckSentence } from './parts/check-progress.tsx';
import { CopyableCode, CopyField } from './parts/copyable-code.tsx';
import { Disclosure } from './parts/disclosure.tsx';
import { DownloadMarks } from './parts/download-marks.tsx';
import { Facts, UntilFact } from './parts/facts.tsx';
import { FileRow } from './parts/file-row.tsx';
import { Form } from './parts/form.tsx';
import { Say, useSize, useText } from './parts/frame.tsx';
import { Layout } from './parts/layout.tsx';
import { Notice } from './parts/notice.tsx';
import { PageNotices } from './parts/page-notices.tsx';
import { PasskeyFact } from './parts/passkey-fact.tsx';
import { PersonText } from './parts/user-text.tsx';
import type { LinkPage } from './props.ts';

export function LinkView({ page }: { page: LinkPage }): ReactNode {
  const say = useText();
  const file = visibleText(page.file.name);
  const title = page.sharedBy ? say('link.title', { file, name: visibleText(page.sharedBy.name) }) : file;
  return (
    <Layout title={title} isRecipientPage>
      <PageNotices notices={page.notices} />
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
            <PasskeyFact hint={page.passkeys} />
          </Facts>
        </CardFoot>
      </Card>
      <CheckFiles files={[page.file]} />
      {page.programUrl !== null && <ForScripts url={page.programUrl} />}
    </Layout>
  );
}

function DownloadAction({ page }: { page: LinkPage }): ReactNode {
  const say = useText();
  const sizeOf = useSize();
  if (page.download.is === 'being-checked') {
    return (
      <>
        <p data-refreshes="">
          <CheckSentence check={page.download} />
        </p>
        <ButtonLink href={page.download.checkAgainUrl}>{say('part.checkAgain')}</ButtonLink>
      </>
    );
  }
  const name = say('part.downloadName', { file: visibleText(page.file.name), size: sizeOf(page.file.sizeText) });
  return (
    <div className="link-action" data-download-place="">
      <Form form={page.download.form} isDownload>
        <Button icon="download" name={name}>
          {say('part.download')}
        </Button>
      </Form>
      <p className="file-marks" data-marks="" />
      <DownloadMarks />
    </div>
  );
}

function ForScripts({ url }: { url: string }): ReactNode {
  const say = useText();
  return (
    <Disclosure title={say('link.forScripts')}>
      <CopyableCode label={say('link.forScriptsText')} value={downloadCommand(url)} />
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

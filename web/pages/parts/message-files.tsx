// The files of a message: the strip with the one big button, and a row for each file with its state.
import type { ReactNode } from 'react';
import { shortMoment } from '../../formats.ts';
import { visibleText } from '../../visible.ts';
import type { MessageFile, MessagePage } from '../message-props.ts';
import { Button, ButtonLink } from './button.tsx';
import { FileRow } from './file-row.tsx';
import { Form } from './form.tsx';
import { Say, useFrame, useSize, useText } from './frame.tsx';
import { Icon } from './icon.tsx';

export function MessageFiles({ page }: { page: MessagePage }): ReactNode {
  const say = useText();
  const isChecking = page.files.some(({ state }) => state.is === 'being-checked');
  return (
    <>
      {page.files.length > 1 && <AllStrip page={page} />}
      <ul className="rows" data-state-url={page.stateUrl ?? undefined} data-refreshes={isChecking || undefined}>
        {page.files.map((file) => (
          <li key={file.id} className="row" data-file={file.id}>
            <Row file={file} isOnly={page.files.length === 1} />
          </li>
        ))}
        {isChecking && (
          <li className="row row-note">
            <p className="muted">{say('message.checkingSome')}</p>
            <ButtonLink href={page.checkAgainUrl}>{say('part.checkAgain')}</ButtonLink>
          </li>
        )}
      </ul>
    </>
  );
}

/** On phones it sticks to the bottom edge, so that the button is never more than a thumb away. */
function AllStrip({ page }: { page: MessagePage }): ReactNode {
  const say = useText();
  const { downloadAll } = page;
  const sizeOf = useSize();
  return (
    <div className={downloadAll ? 'card-strip card-strip-sticky' : 'card-strip'}>
      <div className="strip-text">
        <p>
          <Say
            k="message.fileCount"
            with={{
              n: page.files.length,
              size: <span className="muted number">{sizeOf(page.totalSizeText)}</span>,
            }}
          />
        </p>
        {downloadAll && downloadAll.fileCount < page.files.length && (
          <p className="help">
            {say('message.allHolds', { n: downloadAll.fileCount, size: sizeOf(downloadAll.sizeText) })}
          </p>
        )}
        {downloadAll && page.hasDownloadLimit && <p className="help">{say('message.allCounts')}</p>}
      </div>
      {downloadAll && (
        <Form form={downloadAll.form} isDownload>
          <Button icon="download" name={say('message.downloadAllName', { size: sizeOf(downloadAll.sizeText) })}>
            {say('message.downloadAll')}
          </Button>
        </Form>
      )}
    </div>
  );
}

function Row({ file, isOnly }: { file: MessageFile; isOnly: boolean }): ReactNode {
  const say = useText();
  const sizeOf = useSize();
  const names = { file: visibleText(file.name), size: sizeOf(file.sizeText) };
  return (
    <FileRow file={file} isStruck={file.state.is === 'removed'} state={<State file={file} />}>
      {file.state.is === 'ready' && (
        <Form form={file.state.form} isDownload>
          <Button
            variant={isOnly ? 'primary' : 'secondary'}
            icon={isOnly ? 'download' : undefined}
            name={say('part.downloadName', names)}
          >
            {say('part.download')}
          </Button>
        </Form>
      )}
    </FileRow>
  );
}

function State({ file }: { file: MessageFile }): ReactNode {
  const say = useText();
  switch (file.state.is) {
    case 'being-checked':
      return (
        <span className="file-state">
          <Icon name="clock" /> {say('part.checking')}
        </span>
      );
    case 'removed':
      return (
        <span className="file-state state-bad">
          <Icon name="alert" /> {file.state.sentence ?? say('message.removed')}
        </span>
      );
    case 'used-up':
      return (
        <>
          <Downloaded at={file.downloadedAt} />
          <span className="file-state">
            <Icon name="lock" /> {say('message.usedUp')}
          </span>
        </>
      );
    case 'ready':
      return (
        <>
          <Downloaded at={file.downloadedAt} />
          {file.state.isInterrupted && (
            <span className="file-state">
              <Icon name="repeat" /> {say('message.interrupted')}
            </span>
          )}
        </>
      );
  }
}

/** The script fills it in when a download has happened since, and writes the time in the reader's own zone. */
function Downloaded({ at }: { at: string | null }): ReactNode {
  const { locale, timeZone } = useFrame();
  const time = (
    <time dateTime={at ?? undefined} data-moment="">
      {at === null ? '' : shortMoment(locale, timeZone, at)}
    </time>
  );
  return (
    <span className="file-state state-good" hidden={at === null} data-downloaded="">
      <Icon name="tick" /> <span>{<Say k="message.downloaded" with={{ time }} />}</span>
    </span>
  );
}

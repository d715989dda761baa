import type { ReactNode } from 'react';
import { shortDateTime } from '../../formats.ts';
import { visibleText } from '../../visible.ts';
import type { MessageFile, MessagePage } from '../message-props.ts';
import { Button, ButtonLink } from './button.tsx';
import { CheckSentence } from './check-progress.tsx';
import { DownloadMarks, Started } from './download-marks.tsx';
import { FileRow } from './file-row.tsx';
import { Form } from './form.tsx';
import { Say, useFrame, useSize, useText } from './frame.tsx';
import { Icon } from './icon.tsx';

export function MessageFiles({ page }: { page: MessagePage }): ReactNode {
  const say = useText();
  const isChecking = page.files.some(({ state }) => state.is === 'being-checked');
  return (
    <>
      {page.files.length > 1 && <AllStrip page={page} place="above" />}
      <ul className="rows" data-state-url={page.stateUrl} data-refreshes={isChecking || undefined}>
        {page.files.map((file) => (
          <li key={file.id} className="row" data-file={file.id} data-download-place="">
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
      {page.downloadAll && page.files.length > 1 && <AllStrip page={page} place="below" />}
      <DownloadMarks />
    </>
  );
}

/** Rendered above and below the files. Styles show one, so that focus and reading order match the layout. */
function AllStrip({ page, place }: { page: MessagePage; place: 'above' | 'below' }): ReactNode {
  const say = useText();
  const { downloadAll } = page;
  const sizeOf = useSize();
  return (
    <div className={downloadAll ? `card-strip strip-${place}` : 'card-strip'} data-download-place="">
      <div className="strip-text" data-marks="" data-fresh={`strip-${place}`}>
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
        <div className="strip-action" data-fresh={`all-${place}`}>
          <Form form={downloadAll.form} isDownload>
            <Button icon="download" name={say('message.downloadAllName', { size: sizeOf(downloadAll.sizeText) })}>
              {say('message.downloadAll')}
            </Button>
          </Form>
        </div>
      )}
    </div>
  );
}

function Row({ file, isOnly }: { file: MessageFile; isOnly: boolean }): ReactNode {
  const say = useText();
  const sizeOf = useSize();
  const names = { file: visibleText(file.name), size: sizeOf(file.sizeText) };
  return (
    <FileRow
      file={file}
      isStruck={file.state.is === 'removed'}
      state={<State file={file} />}
      freshAs={`state-${file.id}`}
    >
      {file.state.is === 'ready' && (
        <div className={isOnly ? 'row-action row-action-only' : 'row-action'} data-fresh={`action-${file.id}`}>
          <Form form={file.state.form} isDownload>
            <Button
              variant={isOnly ? 'primary' : 'secondary'}
              icon={isOnly ? 'download' : undefined}
              name={say('part.downloadName', names)}
            >
              {say('part.download')}
            </Button>
          </Form>
        </div>
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
          <Icon name="clock" /> <CheckSentence check={file.state} />
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
          {file.state.downloadsLeft !== null && (
            <span className="file-state">
              {say('message.downloadsLeft', { n: file.state.downloadsLeft, files: 1 })}
            </span>
          )}
          {file.state.progress === 'running' && <Started />}
          {file.state.progress === 'interrupted' && (
            <span className="file-state" data-interrupted="">
              <Icon name="repeat" /> {say('message.interrupted')}
            </span>
          )}
        </>
      );
  }
}

/** The script rewrites the time in the reader's time zone. */
function Downloaded({ at }: { at: string | null }): ReactNode {
  const { locale, timeZone } = useFrame();
  if (at === null) return null;
  const time = (
    <time dateTime={at} data-moment="">
      {shortDateTime(locale, timeZone, at)}
    </time>
  );
  return (
    <span className="file-state state-good" data-downloaded="">
      <Icon name="tick" /> <span>{<Say k="message.downloaded" with={{ time }} />}</span>
    </span>
  );
}

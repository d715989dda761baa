// What happened just before this page was shown.
import type { ReactNode } from 'react';
import type { PageNotice } from '../props.ts';
import { Say, useText } from './frame.tsx';
import { Notice } from './notice.tsx';
import { UserText } from './user-text.tsx';
import { WriteTo } from './write-to.tsx';

/** `about`: the subject of a mail that can be started from here. */
export function PageNotices({ notices, about = null }: { notices: PageNotice[]; about?: string | null }): ReactNode {
  return notices.map((notice) => (
    <OneNotice notice={notice} about={about} key={notice.is === 'sentence' ? notice.sentence : notice.is} />
  ));
}

function OneNotice({ notice, about }: { notice: PageNotice; about: string | null }): ReactNode {
  const say = useText();
  if (notice.is === 'limit-reached') {
    return (
      <Notice tone="warning" title={say(notice.what === 'downloads' ? 'gone.limit' : 'message.readingsUsed')}>
        <p>
          <Say k="gone.askMore" with={{ name: <UserText>{notice.sender.name}</UserText> }} />
        </p>
        {notice.sender.address !== null && <WriteTo address={notice.sender.address} about={about} />}
      </Notice>
    );
  }
  if (notice.is === 'sentence') {
    return (
      <Notice tone={notice.tone} requestId={notice.requestId}>
        <p>{notice.sentence}</p>
      </Notice>
    );
  }
  return (
    <Notice tone="danger" title={say('part.troubleTitle')} requestId={notice.requestId}>
      <p>{say('part.trouble')}</p>
    </Notice>
  );
}

// What happened just before this page was shown, above everything else.
import type { ReactNode } from 'react';
import type { PageNotice } from '../props.ts';
import { Say, useText } from './frame.tsx';
import { Notice } from './notice.tsx';
import { UserText } from './user-text.tsx';
import { WriteTo } from './write-to.tsx';

export function PageNotices({ notices }: { notices: PageNotice[] }): ReactNode {
  return notices.map((notice) => (
    <OneNotice notice={notice} key={notice.is === 'sentence' ? notice.sentence : notice.is} />
  ));
}

function OneNotice({ notice }: { notice: PageNotice }): ReactNode {
  const say = useText();
  if (notice.is === 'limit-reached') {
    return (
      <Notice tone="warning" title={say(notice.what === 'downloads' ? 'gone.limit' : 'message.readingsUsed')}>
        <p>
          <Say k="gone.askMore" with={{ name: <UserText>{notice.sender.name}</UserText> }} />
        </p>
        {notice.sender.address !== null && <WriteTo address={notice.sender.address} about={null} />}
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

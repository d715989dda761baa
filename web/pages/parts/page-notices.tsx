// What happened just before this page was shown, above everything else.
import type { ReactNode } from 'react';
import type { PageNotice } from '../props.ts';
import { useText } from './frame.tsx';
import { Notice } from './notice.tsx';

export function PageNotices({ notices }: { notices: PageNotice[] }): ReactNode {
  return notices.map((notice) => (
    <OneNotice notice={notice} key={notice.is === 'sentence' ? notice.sentence : notice.is} />
  ));
}

function OneNotice({ notice }: { notice: PageNotice }): ReactNode {
  const say = useText();
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

// The URL decides: `/send`, `/send?sent=<id>`, `/send?link=<id>`.
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useMe } from '../../../me.ts';
import { NotForYourGroup } from '../../../parts/screen-states.tsx';
import { useSearchParams } from '../../../search-params.ts';
import { useText } from '../../../texts.ts';
import type { EarlierFile } from '../../../transfers/earlier-files.tsx';
import { SendDone } from './done.tsx';
import { SendForm } from './form.tsx';
import { SendLink } from './link.tsx';
import { endHandOver, startOver, useOutgoing, watchOutgoing } from './outgoing.ts';

export default function SendScreen() {
  const text = useText('send');
  const me = useMe();
  const outgoing = useOutgoing(me);
  const { params, change } = useSearchParams();
  const navigate = useNavigate();
  const { phase } = outgoing;
  const doneId = phase.is === 'done' ? phase.id : null;
  const doneMethod = phase.is === 'done' ? phase.method : null;
  const hasSent = useRef(false);
  useEffect(watchOutgoing, []);
  useEffect(() => {
    if (doneId === null) return;
    if (doneMethod === 'links') {
      endHandOver();
      return void navigate({ to: '/links', search: { new: '1' } as never });
    }
    change(doneMethod === 'mail' ? { sent: doneId, link: undefined } : { link: doneId, sent: undefined });
    startOver();
  }, [doneId, doneMethod, change, navigate]);
  const again = (files: EarlierFile[]) => {
    hasSent.current = true;
    startOver(files);
    change({ sent: undefined, link: undefined, tab: undefined }, { isNewEntry: true });
  };
  if (!me.features.messages) return <NotForYourGroup title={text('title')} />;
  if (params.sent) return <SendDone key={params.sent} id={params.sent} onAgain={again} />;
  if (params.link) return <SendLink key={params.link} id={params.link} created={outgoing.created} onAgain={again} />;
  return <SendForm outgoing={outgoing} takesFocus={hasSent.current} />;
}

// The link instead of a mail, with prepared texts.

import { Check, Copy, Share2 } from 'lucide-react';
import { useState } from 'react';
import type { CreatedMessageBody } from '#contract/messages.ts';
import { useApi } from '../../../api.ts';
import { useFormats } from '../../../formats.ts';
import { useMe } from '../../../me.ts';
import { Screen } from '../../../parts/screen.tsx';
import { useText } from '../../../texts.ts';
import type { EarlierFile } from '../../../transfers/earlier-files.tsx';
import { announce } from '../../../ui/announcer.tsx';
import { Button, ButtonLink } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { CopyField } from '../../../ui/copy-field.tsx';
import { Muted, Row, Stack } from '../../../ui/layout.tsx';
import { QrCode } from '../../../ui/qr-code.tsx';
import { Loaded, Notice } from '../../../ui/states.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { filesOf, useArrival } from './done.tsx';
import type { Level } from './draft.ts';
import classes from './send.module.css';

interface Props {
  id: string;
  /** Includes the prepared texts; null after a reload. */
  created: CreatedMessageBody | null;
  onAgain: (files: EarlierFile[]) => void;
}

export function SendLink({ id, created, onAgain }: Props) {
  const text = useText('send');
  const query = useApi('getSentMessage', { params: { id } });
  const { data } = query;
  useArrival();
  const known: Shown | undefined = created?.id === id ? created : data?.message;
  return (
    <Screen title={text('linkTitle')}>
      <Loaded query={{ ...query, data: known }} lines={4}>
        {(link) => <LinkCard {...link} />}
      </Loaded>
      {created?.id === id ? <Blocks created={created} /> : null}
      <Row>
        <Button onClick={() => onAgain([])}>{text('newMessage')}</Button>
        {data === undefined || data.message.files.length === 0 ? null : (
          <Button onClick={() => onAgain(filesOf(data.message))}>{text('sendSame')}</Button>
        )}
        <ButtonLink to="/sent/$id" params={{ id }} variant="quiet">
          {text('track')}
        </ButtonLink>
      </Row>
    </Screen>
  );
}

interface Shown {
  url: string;
  authorization: number;
  expires_at: string;
}

function LinkCard({ url, authorization, expires_at: lastDay }: Shown) {
  const text = useText('send');
  const ui = useText('ui');
  const formats = useFormats();
  const { organisation_name: organisation } = useMe();
  const canShare = typeof navigator.share === 'function';
  return (
    <Card>
      <div className={classes.linkCard}>
        <Stack gap={12}>
          {canShare ? (
            <Button variant="primary" icon={Share2} isWide onClick={() => void share(url)}>
              {ui('share')}
            </Button>
          ) : null}
          <CopyField label={text('linkLabel')} value={url} announcement={text('linkCopied')} isMain={!canShare} />
          <p>{text(`linkWho${authorization as Level}`, { organisation })}</p>
          <Muted>{text('linkUntil', { date: formats.longDate(lastDay) })}</Muted>
        </Stack>
        <div className={classes.qr}>
          <QrCode address={url} />
          <Muted>{text('qr')}</Muted>
        </div>
      </div>
    </Card>
  );
}

/** Rejects when the share dialog is closed. */
async function share(url: string): Promise<void> {
  await navigator.share({ url }).catch(() => {});
}

function Blocks({ created: { plain, html } }: { created: CreatedMessageBody }) {
  const text = useText('send');
  return (
    <Card title={text('blocks')}>
      <Tabs
        label={text('blocks')}
        tabs={[
          {
            value: 'text',
            label: text('blockText'),
            content: () => (
              <CopyField isLong label={text('blockTextLabel')} value={plain} announcement={text('blockTextCopied')} />
            ),
          },
          { value: 'formatted', label: text('blockFormatted'), content: () => <Formatted plain={plain} html={html} /> },
        ]}
      />
    </Card>
  );
}

function Formatted({ plain, html }: { plain: string; html: string }) {
  const text = useText('send');
  const [state, setState] = useState<'ready' | 'copied' | 'failed'>('ready');
  const copy = () => {
    const isCopied = putOnClipboard({ 'text/html': html, 'text/plain': plain });
    setState(isCopied ? 'copied' : 'failed');
    if (isCopied) announce(text('formattedCopied'));
  };
  return (
    <Stack gap={12}>
      <p>{text('blockFormattedHelp')}</p>
      <div>
        <Button icon={state === 'copied' ? Check : Copy} onClick={copy}>
          {text('copyFormatted')}
        </Button>
      </div>
      {state === 'failed' ? <Notice tone="warning">{text('formattedFailed')}</Notice> : null}
      <CopyField isLong label={text('blockHtmlLabel')} value={html} />
    </Stack>
  );
}

/** `clipboard.write` would parse the HTML under our policy, which strips its styles. */
function putOnClipboard(kinds: Record<string, string>): boolean {
  let isCopied = false;
  const put = (event: ClipboardEvent) => {
    event.preventDefault();
    for (const [kind, content] of Object.entries(kinds)) event.clipboardData?.setData(kind, content);
    isCopied = event.clipboardData !== null;
  };
  document.addEventListener('copy', put);
  document.execCommand('copy');
  document.removeEventListener('copy', put);
  return isCopied;
}

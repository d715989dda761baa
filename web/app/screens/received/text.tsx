// A private text needs a click, because reading it is counted and the sender is notified.

import { Lock } from 'lucide-react';
import { useState } from 'react';
import type { AppReceivedDetailBody } from '#contract/app/received.ts';
import type { CallAnswer } from '#contract/client.ts';
import { visibleParts, visibleText } from '../../../visible.ts';
import { useApiChange } from '../../api.ts';
import { useText } from '../../texts.ts';
import { announce } from '../../ui/announcer.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Note } from '../../ui/layout.tsx';
import { ProblemNotice } from '../../ui/states.tsx';
import classes from './received.module.css';

type Opened = CallAnswer<'readReceived'>;

export function ReceivedText({ item }: { item: AppReceivedDetailBody }) {
  const text = useText('received');
  const [opened, setOpened] = useState<Opened | null>(null);
  const content = item.message ?? opened?.message ?? null;
  const html = item.message_html ?? opened?.message_html;
  if (content === '' && !item.is_private) return null;
  return (
    <Card title={text('message')}>
      <div className={classes.main}>
        {item.is_private && item.message === null ? <PrivateMark item={item} isOpen={opened !== null} /> : null}
        {content === null ? (
          <ReadButton item={item} onRead={setOpened} />
        ) : html !== undefined ? (
          // biome-ignore lint/security/noDangerouslySetInnerHtml: the one value the server has sanitised for this purpose
          <div className={classes.html} dangerouslySetInnerHTML={{ __html: html }} />
        ) : (
          <p className={classes.text}>{content === '' ? text('noText') : shown(content)}</p>
        )}
      </div>
    </Card>
  );
}

/** Keeps line breaks; replaces hidden and reordering characters. */
function shown(content: string): string {
  return content
    .split('\n')
    .map((line) => visibleParts(line.replace(/\r$/, '').replaceAll('\t', '    ')))
    .map((parts) => parts.map(({ text, isMark }) => (isMark ? `[${text}]` : text)).join(''))
    .join('\n');
}

function PrivateMark({ item, isOpen }: { item: AppReceivedDetailBody; isOpen: boolean }) {
  const text = useText('received');
  const name = visibleText(item.from.name);
  return (
    <Note icon={Lock} tone="muted">
      <strong>{text('private')}</strong> {text(isOpen ? 'privateWasTold' : 'privateTold', { name })}
    </Note>
  );
}

function ReadButton({ item, onRead }: { item: AppReceivedDetailBody; onRead: (content: Opened) => void }) {
  const text = useText('received');
  const read = useApiChange('readReceived', []);
  const readText = () =>
    read.mutate(
      { params: { id: item.id } },
      {
        onSuccess: (content) => {
          announce(text('readSaid'));
          onRead(content);
        },
      },
    );
  return (
    <>
      <Button
        variant={item.attachments.length === 0 ? 'primary' : 'secondary'}
        isBusy={read.isPending}
        onClick={readText}
      >
        {text('read')}
      </Button>
      <ProblemNotice error={read.error} />
    </>
  );
}

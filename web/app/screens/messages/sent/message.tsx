// What was sent: people, text and settings in words, the link, and what the group has fixed.
import { Lock } from 'lucide-react';
import type { ReactNode } from 'react';
import type { SentMessageBody } from '#contract/app/messages.ts';
import { zoneName } from '../../../../formats.ts';
import { visibleText } from '../../../../visible.ts';
import { useMe } from '../../../me.ts';
import { type TextKey, useLocale, useText } from '../../../texts.ts';
import { Card } from '../../../ui/card.tsx';
import { CopyField } from '../../../ui/copy-field.tsx';
import { Icon } from '../../../ui/icon.tsx';
import classes from './message.module.css';
import { useSentWords } from './words.ts';

export function SentMessage({ message }: { message: SentMessageBody }) {
  const text = useText('sent');
  return (
    <div className={classes.parts}>
      <Card title={text('messageTitle')}>
        <Pairs pairs={usePeoplePairs(message)} />
        {message.text.trim() === '' ? (
          <p className={classes.muted}>{text('noText')}</p>
        ) : (
          <p className={classes.text}>
            <bdi>{message.text}</bdi>
          </p>
        )}
      </Card>
      <Card title={text('settingsTitle')}>
        <Pairs pairs={useSettingPairs(message)} />
        <Locks />
        <CopyField label={text('link')} value={message.url} help={text('linkHelp')} said={text('linkCopied')} />
      </Card>
    </div>
  );
}

type Pair = [label: string, value: ReactNode];

function Pairs({ pairs }: { pairs: Pair[] }) {
  return (
    <dl className={classes.pairs}>
      {pairs.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function usePeoplePairs(message: SentMessageBody): Pair[] {
  const text = useText('sent');
  const words = useSentWords();
  const roles = ['to', 'cc', 'bcc'] as const;
  return [
    [text('from'), visibleText(message.sender)],
    ...roles.flatMap((role): Pair[] => {
      const people = message.people.filter((person) => person.role === role && person.state !== 'revoked');
      if (people.length === 0) return [];
      const list = (
        <ul key={role} className={classes.people}>
          {people.map(({ address }) => (
            <li key={address}>{visibleText(address)}</li>
          ))}
        </ul>
      );
      return [[text(role), list]];
    }),
    [text('subject'), <bdi key="subject">{words.subject(message.subject)}</bdi>],
  ];
}

const levels = ['who0', 'who1', 'who2', 'who3', 'who4'] as const satisfies TextKey<'sent'>[];

function useSettingPairs(message: SentMessageBody): Pair[] {
  const text = useText('sent');
  const locale = useLocale();
  const words = useSentWords();
  const { organisation_name, time_zone } = useMe();
  const n = message.expires_after;
  const limit =
    n === 0 ? text('downloadsNoLimit') : text(message.authorization === 0 ? 'downloadsShared' : 'downloadsEach', { n });
  return [
    [text('whoMay'), text(levels[message.authorization] ?? 'who3', { organisation: organisation_name })],
    [
      text('until'),
      <>
        {words.day(message.expires_at)}
        <span className={classes.muted}>{text('zone', { zone: zoneName(locale, time_zone, message.expires_at) })}</span>
      </>,
    ],
    [text('downloadsAllowed'), limit],
    [text('privateFact'), text(message.private_message ? 'privateYes' : 'privateNo')],
    [text('messageId'), <code key="id">{message.id}</code>],
  ];
}

/** What the group has fixed, in a sentence each: no dead controls (experience, principle 5). */
function Locks() {
  const text = useText('sent');
  const { policy } = useMe();
  const locks = [
    policy.message_can_change_expiration ? '' : text('lockExpiry', { n: policy.message_default_expiration }),
    policy.message_can_change_expires_after ? '' : text('lockDownloads'),
    policy.message_reminders === 0 ? text('lockReminders') : '',
  ].filter((sentence) => sentence !== '');
  return locks.map((sentence) => (
    <p key={sentence} className={classes.lock}>
      <Icon of={Lock} sizePx={16} /> {sentence}
    </p>
  ));
}

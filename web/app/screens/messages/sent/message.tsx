import { Lock } from 'lucide-react';
import type { SentMessageBody } from '#contract/app/messages.ts';
import { visibleText } from '../../../../visible.ts';
import { useMe } from '../../../me.ts';
import { useNames } from '../../../names.ts';
import { type TextKey, useText } from '../../../texts.ts';
import { Card } from '../../../ui/card.tsx';
import { CopyField } from '../../../ui/copy-field.tsx';
import { Muted, Note, type Pair, Pairs, Stack } from '../../../ui/layout.tsx';
import classes from './sent.module.css';
import { useSentFormats } from './sent-formats.ts';

export function SentMessage({ message }: { message: SentMessageBody }) {
  const text = useText('sent');
  return (
    <Stack gap={20}>
      <Card title={text('messageTitle')}>
        <Stack>
          <Pairs pairs={usePeoplePairs(message)} />
          {message.text.trim() === '' ? (
            <Muted>{text('noText')}</Muted>
          ) : (
            <p className={classes.text}>
              <bdi>{message.text}</bdi>
            </p>
          )}
        </Stack>
      </Card>
      <Card title={text('settingsTitle')}>
        <Stack>
          <Pairs pairs={useSettingPairs(message)} />
          <Locks />
          <CopyField
            label={text('link')}
            value={message.url}
            help={text('linkHelp')}
            announcement={text('linkCopied')}
          />
        </Stack>
      </Card>
    </Stack>
  );
}

function usePeoplePairs(message: SentMessageBody): Pair[] {
  const text = useText('sent');
  const names = useNames();
  const formats = useSentFormats();
  const roles = ['to', 'cc', 'bcc'] as const;
  return [
    { name: text('from'), value: visibleText(message.sender) },
    ...roles.flatMap((role): Pair[] => {
      const people = message.people.filter((person) => person.role === role && person.state !== 'revoked');
      if (people.length === 0) return [];
      const list = (
        <Stack key={role} as="ul" gap={2}>
          {people.map(({ address }) => (
            <li key={address}>{names.full(address)}</li>
          ))}
        </Stack>
      );
      return [{ name: text(role), value: list }];
    }),
    { name: text('subject'), value: <bdi>{formats.subject(message.subject)}</bdi> },
  ];
}

const levels = ['who0', 'who1', 'who2', 'who3', 'who4'] as const satisfies TextKey<'sent'>[];

function useSettingPairs(message: SentMessageBody): Pair[] {
  const text = useText('sent');
  const formats = useSentFormats();
  const { organisation_name: organisation } = useMe();
  const n = message.expires_after;
  const limit =
    n === 0 ? text('downloadsNoLimit') : text(message.authorization === 0 ? 'downloadsShared' : 'downloadsEach', { n });
  const until = (
    <>
      {formats.longDate(message.expires_at)}
      <Muted>{text('zone', { zone: formats.zoneOn(message.expires_at) })}</Muted>
    </>
  );
  return [
    { name: text('whoMay'), value: text(levels[message.authorization] ?? 'who3', { organisation }) },
    { name: text('until'), value: until },
    { name: text('downloadsAllowed'), value: limit },
    { name: text('privateFact'), value: text(message.private_message ? 'privateYes' : 'privateNo') },
    { name: text('messageId'), value: <code>{message.id}</code> },
  ];
}

/** Sentences instead of disabled controls. */
function Locks() {
  const text = useText('sent');
  const { policy } = useMe();
  const locks = [
    policy.message_can_change_expiration ? '' : text('lockExpiry', { n: policy.message_default_expiration }),
    policy.message_can_change_expires_after ? '' : text('lockDownloads'),
    policy.message_reminders === 0 ? text('lockReminders') : '',
  ].filter((sentence) => sentence !== '');
  return locks.map((sentence) => (
    <Note key={sentence} icon={Lock} tone="muted">
      {sentence}
    </Note>
  ));
}

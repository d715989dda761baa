// One layout for twelve reasons.
import type { ReactNode } from 'react';
import { longDate, minutes } from '../formats.ts';
import { visibleText } from '../visible.ts';
import { ButtonLink } from './parts/button.tsx';
import { Say, useFrame, useText } from './parts/frame.tsx';
import type { IconName } from './parts/icon.tsx';
import { Layout } from './parts/layout.tsx';
import { Statement } from './parts/statement.tsx';
import { UserText } from './parts/user-text.tsx';
import { AddressLink, WriteTo } from './parts/write-to.tsx';
import type { NotAvailablePage, Person } from './props.ts';
import type { TextKey } from './text.ts';

type Reason = NotAvailablePage['reason'];

interface Content {
  icon: IconName;
  heading: string;
  text: string;
  ask: { person: Person | null; named: TextKey; unnamed: TextKey } | null;
  fileCount: number;
}

export function NotAvailableView({ page }: { page: NotAvailablePage }): ReactNode {
  const frame = useFrame();
  const say = useText();
  const content = contentOf(page.reason, {
    say,
    date: (date) => longDate(frame.locale, date),
    minutes: (count) => minutes(frame.locale, count),
    organisation: visibleText(frame.organisationName ?? frame.productName),
  });
  return (
    <Layout title={content.heading} isRecipientPage>
      <Statement icon={content.icon} heading={content.heading}>
        {page.about !== null && (
          <p className="about">
            <span className="visually-hidden">{say('gone.about')}: </span>
            <UserText>{page.about}</UserText>
          </p>
        )}
        <p>
          {content.text} {content.ask && <Ask ask={content.ask} fileCount={content.fileCount} />}
        </p>
        {content.ask?.person?.address && <WriteTo address={content.ask.person.address} about={page.about} />}
        {page.reason.is === 'removed' && frame.contactAddress !== null && (
          <p>
            <Say
              k="gone.askContact"
              with={{ address: <AddressLink address={frame.contactAddress} about={page.about} /> }}
            />
          </p>
        )}
        {page.reason.is === 'download-ended' && page.reason.pageUrl !== null && (
          <ButtonLink href={page.reason.pageUrl}>{say('gone.openPage')}</ButtonLink>
        )}
        {page.reason.is === 'not-allowed' && page.reason.otherAddressUrl !== null && (
          <ButtonLink href={page.reason.otherAddressUrl}>{say('gone.otherAddress')}</ButtonLink>
        )}
      </Statement>
    </Layout>
  );
}

function Ask({ ask, fileCount }: { ask: NonNullable<Content['ask']>; fileCount: number }): ReactNode {
  const say = useText();
  if (!ask.person) return say(ask.unnamed, { files: fileCount });
  return <Say k={ask.named} with={{ files: fileCount, name: <UserText>{ask.person.name}</UserText> }} />;
}

interface Texts {
  say: ReturnType<typeof useText>;
  date: (date: string) => string;
  minutes: (count: number) => string;
  organisation: string;
}

function contentOf(reason: Reason, texts: Texts): Content {
  const { say } = texts;
  switch (reason.is) {
    case 'expired':
    case 'download-limit':
    case 'stopped':
    case 'removed':
    case 'download-ended':
      return contentOfFiles(reason, texts);
    case 'request-closed':
      return {
        icon: 'check',
        heading: reason.wasAnswered ? say('gone.answered') : say('gone.closed'),
        text: requestText(reason, texts),
        ask: { person: reason.asker, named: 'gone.askNewRequest', unnamed: 'gone.askNewRequestPlain' },
        fileCount: 1,
      };
    case 'drop-moved':
      return plainContent('search', say('gone.dropMoved'), say('gone.dropMovedText'));
    case 'for-programs':
      return plainContent('key', say('gone.forPrograms'), say('gone.forProgramsText'));
    case 'unknown':
      return plainContent('search', say('gone.unknown'), say('gone.unknownText'));
    case 'not-allowed':
      return contentOfNotAllowed(reason, texts);
    case 'too-many-tries':
      return plainContent('clock', say('gone.wait'), say('gone.waitText', { time: texts.minutes(reason.minutes) }));
    case 'maintenance':
      return plainContent('clock', say('gone.maintenance'), reason.message ?? say('gone.maintenanceText'));
  }
}

function plainContent(icon: IconName, heading: string, text: string): Content {
  return { icon, heading, text, ask: null, fileCount: 1 };
}

type FilesReason = Extract<Reason, { is: 'expired' | 'download-limit' | 'stopped' | 'removed' | 'download-ended' }>;

function contentOfFiles(reason: FilesReason, texts: Texts): Content {
  const { say } = texts;
  const files = 'fileCount' in reason ? reason.fileCount : 1;
  const content = (icon: IconName, heading: string, text: string): Omit<Content, 'ask'> => ({
    icon,
    heading,
    text,
    fileCount: files,
  });
  switch (reason.is) {
    case 'expired': {
      const text =
        reason.until === null
          ? say('gone.expiredTextPlain', { files })
          : say('gone.expiredText', { files, date: texts.date(reason.until) });
      const ask = { person: reason.sender, named: 'gone.askAgain', unnamed: 'gone.askAgainPlain' } as const;
      return { ...content('clock', say('gone.expired', { files }), text), ask };
    }
    case 'download-limit': {
      const { limit } = reason;
      const text = limit === null ? say('gone.limitTextPlain', { files }) : say('gone.limitText', { files, limit });
      const ask = { person: reason.sender, named: 'gone.askMore', unnamed: 'gone.askMorePlain' } as const;
      return { ...content('download', say('gone.limit'), text), ask };
    }
    case 'stopped': {
      const text =
        reason.on === null
          ? say('gone.stoppedTextPlain', { files })
          : say('gone.stoppedText', { files, date: texts.date(reason.on) });
      return { ...content('lock', say('gone.stopped', { files }), text), ask: askSender(reason.sender) };
    }
    case 'removed': {
      const text = say('gone.removedText', { files, organisation: texts.organisation });
      return { ...content('lock', say('gone.removed', { files }), text), ask: null };
    }
    case 'download-ended': {
      const ended = reason.pageUrl === null ? 'gone.endedTextPlain' : 'gone.endedText';
      const ask = reason.sender === null ? null : askSender(reason.sender);
      return { ...content('download', say('gone.ended'), say(reason.isLimit ? 'gone.limitOfOne' : ended)), ask };
    }
  }
}

function contentOfNotAllowed(reason: Extract<Reason, { is: 'not-allowed' }>, { say }: Texts): Content {
  const { fileCount, address } = reason;
  const files = { files: fileCount };
  return {
    icon: 'lock',
    heading: address ? say('gone.notAllowed', { address: visibleText(address) }) : say('gone.notAllowedPlain', files),
    text: say(address ? 'gone.notAllowedText' : 'gone.notAllowedTextPlain', files),
    ask: { person: reason.sender, named: 'gone.askAddress', unnamed: 'gone.askAddressPlain' },
    fileCount,
  };
}

function askSender(person: Person | null): NonNullable<Content['ask']> {
  return { person, named: 'gone.askSender', unnamed: 'gone.askSenderPlain' };
}

function requestText(reason: Extract<Reason, { is: 'request-closed' }>, { say, date }: Texts): string {
  if (reason.wasAnswered) {
    return reason.on === null ? say('gone.answeredTextPlain') : say('gone.answeredText', { date: date(reason.on) });
  }
  return reason.on === null ? say('gone.closedTextPlain') : say('gone.closedText', { date: date(reason.on) });
}

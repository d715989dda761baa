import { Link } from '@tanstack/react-router';
import { File, FolderInput, Inbox, Link2, type LucideIcon, SearchX, SendHorizontal, User } from 'lucide-react';
import { useEffect, useId, useState } from 'react';
import { useApi } from '../../api.ts';
import { useMe, useZone } from '../../me.ts';
import { useLocale, useText } from '../../texts.ts';
import { announce } from '../../ui/announcer.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Muted, Stack } from '../../ui/layout.tsx';
import { Pill } from '../../ui/pill.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import {
  countOf,
  groupsOf,
  messageItem,
  namesIn,
  type SearchGroup,
  type SearchItem,
  type SearchTexts,
} from './items.ts';
import classes from './results.module.css';

const icons: Record<SearchItem['kind'], LucideIcon> = {
  message: SendHorizontal,
  received: Inbox,
  link: Link2,
  request: FolderInput,
  file: File,
  person: User,
};

/** The text after typing pauses. */
export function useDebounced(texts: string): string {
  const [debounced, setRested] = useState(texts);
  useEffect(() => {
    const timer = setTimeout(() => setRested(texts), 200);
    return () => clearTimeout(timer);
  }, [texts]);
  return debounced;
}

interface Props {
  q: string;
  onOpen?: () => void;
}

export function SearchResults({ q, onOpen }: Props) {
  const text = useText('search');
  const texts = useSearchTexts();
  const may = { send: useMe().features.messages };
  const query = useApi('search', { query: { q } }, { isEnabled: q !== '', keepsLast: true });
  const groups = query.data === undefined || q === '' ? null : groupsOf(query.data, texts, may);
  const count = groups === null ? null : countOf(groups);
  const isComplete = !query.isPlaceholderData;
  // biome-ignore lint/correctness/useExhaustiveDependencies: said once for each answer
  useEffect(() => {
    if (count !== null && isComplete) announce(text('said', { n: count }));
  }, [q, count, isComplete]);
  if (q === '') return <Recent onOpen={onOpen} />;
  if (query.error !== null)
    return <ErrorState error={query.error} title={text('failed')} onRetry={() => void query.refetch()} />;
  if (groups === null) return <Skeleton lines={4} onRetry={() => void query.refetch()} />;
  if (count === 0)
    return (
      <EmptyState icon={SearchX} title={text('none', { q })}>
        {text('noneHelp')}
      </EmptyState>
    );
  return (
    <div className={classes.groups} aria-busy={!isComplete}>
      <Groups groups={groups} onOpen={onOpen} />
      {query.data?.is_complete === false ? <Muted>{text('cut')}</Muted> : null}
    </div>
  );
}

function useSearchTexts(): SearchTexts {
  return { say: useText('search'), locale: useLocale(), zone: useZone() };
}

const recentCount = '5';

/** Recently sent and received, before anything is typed. */
function Recent({ onOpen }: { onOpen: (() => void) | undefined }) {
  const text = useText('search');
  const texts = useSearchTexts();
  const { features } = useMe();
  const sent = useApi(
    'listSentMessages',
    { query: { size: recentCount, sort: '-sent' } },
    { isEnabled: features.messages },
  );
  const received = useApi('listReceived', { query: { size: recentCount, sort: '-received_at' } as never });
  if ((sent.isPending && features.messages) || received.isPending) return <Skeleton lines={4} />;
  const groups: SearchGroup[] = [
    {
      title: text('recentSent'),
      items: (sent.data?.messages ?? []).map((message) =>
        messageItem(
          {
            ...message,
            people: namesIn(sent.data?.names ?? {}, message.people),
            direction: 'sent',
            created_at: message.sent_at,
            state: message.state === 'expired' || message.state === 'stopped' ? message.state : 'active',
          },
          texts,
        ),
      ),
    },
    {
      title: text('recentReceived'),
      items: (received.data?.items ?? []).map((message) =>
        messageItem(
          {
            id: message.id,
            subject: message.subject,
            direction: 'received',
            people: [message.from.name],
            people_total: 1,
            created_at: message.received_at,
            state: message.state === 'expired' ? 'expired' : 'active',
          },
          texts,
        ),
      ),
    },
  ].filter(({ items }) => items.length > 0);
  return (
    <div className={classes.groups}>
      {groups.length === 0 ? <Muted>{text('empty')}</Muted> : null}
      <Groups groups={groups} onOpen={onOpen} />
    </div>
  );
}

function Groups({ groups, onOpen }: { groups: readonly SearchGroup[]; onOpen: (() => void) | undefined }) {
  const id = useId();
  return groups.map(({ title, items }, index) => (
    <section key={title} aria-labelledby={`${id}-${index}`} className={classes.group}>
      <h2 id={`${id}-${index}`} className={classes.title}>
        {title}
      </h2>
      <Stack as="ul" gap={2}>
        {items.map((item) => (
          <li key={item.id} data-row="">
            <Link
              to={item.to as never}
              search={(item.search ?? {}) as never}
              className={classes.item}
              preload={false}
              onClick={onOpen}
              data-result=""
            >
              <Icon of={icons[item.kind]} className={classes.icon!} />
              <span className={classes.text}>
                <strong>{item.title}</strong>
                <Muted as="span">{item.detail}</Muted>
              </span>
              {item.state === null ? null : <Pill tone={item.state.tone}>{item.state.label}</Pill>}
            </Link>
          </li>
        ))}
      </Stack>
    </section>
  ));
}

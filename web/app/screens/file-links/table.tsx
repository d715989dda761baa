// The caller's live links as a table, with Copy at hand, and the expired ones folded below it.
import { Link } from '@tanstack/react-router';
import { ChevronDown, ChevronRight, Copy, Download, KeyRound, MailCheck, Settings, Trash2, Users } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import type { AppLinkBody } from '#contract/app/file-links.ts';
import { sizeIn } from '#language/sizes.ts';
import { dayOf, daysAhead, shortMoment } from '../../../formats.ts';
import { visibleText } from '../../../visible.ts';
import { useAddress } from '../../address.ts';
import { useApi } from '../../api.ts';
import { dateText, daysUntil } from '../../dates.ts';
import type { List } from '../../list.ts';
import { useMe, useZone } from '../../me.ts';
import { ListSearch } from '../../parts/list-search.tsx';
import { useLocale, useText } from '../../texts.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { useCopy } from '../../ui/copy-field.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { FileList, FileRow } from '../../ui/file-row.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Pill } from '../../ui/pill.tsx';
import classes from './file-links.module.css';

interface Props {
  list: List;
  empty: ReactNode;
  onOpen: (id: string, tab: 'settings' | 'downloads') => void;
  onDelete: (link: AppLinkBody) => void;
}

export function LinksTable({ list, empty, onOpen, onDelete }: Props) {
  const text = useText('file-links');
  const live = { ...list.query, state: 'live' as const };
  const links = useApi('listAppLinks', { query: live }, { keepsLast: true });
  const { state, copy } = useCopy(text('copiedSaid'));
  const [copiedId, setCopiedId] = useState('');
  const copyLink = (link: AppLinkBody) => {
    setCopiedId(link.id);
    void copy(link.url);
  };
  const columns = useColumns(copyLink, (id) => (id === copiedId ? state : 'ready'));
  const isBare = links.data?.total === 0 && !list.isFiltered;
  return (
    <>
      {isBare ? null : <ListSearch list={list} label={text('search')} />}
      <DataTable
        name="links"
        caption={text('caption')}
        columns={columns}
        rows={links.data?.items}
        total={links.data?.total}
        isStale={links.isPlaceholderData}
        list={list}
        rowId={({ id }) => id}
        rowName={({ filename }) => visibleText(filename)}
        error={links.error}
        onRetry={() => void links.refetch()}
        empty={empty}
        actions={(link) => [
          {
            items: [
              { label: text('actionCopy'), icon: Copy, onPress: () => copyLink(link) },
              { label: text('actionSettings'), icon: Settings, onPress: () => onOpen(link.id, 'settings') },
              { label: text('actionDownloads'), icon: Download, onPress: () => onOpen(link.id, 'downloads') },
            ],
          },
          { items: [{ label: text('actionDelete'), icon: Trash2, isDanger: true, onPress: () => onDelete(link) }] },
        ]}
      />
    </>
  );
}

type CopyState = ReturnType<typeof useCopy>['state'];

function useColumns(
  copyLink: (link: AppLinkBody) => void,
  stateOf: (id: string) => CopyState,
): readonly Column<AppLinkBody>[] {
  const text = useText('file-links');
  const locale = useLocale();
  const time_zone = useZone();
  return [
    {
      id: 'file',
      header: text('file'),
      cell: ({ id, filename }) => (
        <Link to="/links/$id" params={{ id }}>
          <bdi>{visibleText(filename)}</bdi>
        </Link>
      ),
    },
    { id: 'size', header: text('size'), sort: 'size', isNumeric: true, cell: ({ size }) => sizeIn(locale, size) },
    { id: 'until', header: text('until'), sort: 'expires_at', cell: (link) => <Until link={link} /> },
    { id: 'access', header: text('access'), cell: (link) => <Access link={link} /> },
    { id: 'downloads', header: text('downloads'), isNumeric: true, cell: ({ downloads }) => downloads },
    {
      id: 'last',
      header: text('lastDownload'),
      cell: ({ last_download_at: at }) =>
        at === null ? text('never') : <span className={classes.date}>{shortMoment(locale, time_zone, at)}</span>,
    },
    {
      id: 'created',
      header: text('created_at'),
      sort: 'created_at',
      isHidden: true,
      cell: ({ created_at }) => <span className={classes.date}>{dateText(locale, dayOf(time_zone, created_at))}</span>,
    },
    {
      id: 'link',
      header: text('link'),
      cell: (link) => <CopyCell link={link} state={stateOf(link.id)} onCopy={() => copyLink(link)} />,
    },
  ];
}

function CopyCell({ link, state, onCopy }: { link: AppLinkBody; state: CopyState; onCopy: () => void }) {
  const text = useText('file-links');
  return (
    <div className={classes.copying}>
      <Button
        size="small"
        icon={Copy}
        aria-label={text(state === 'copied' ? 'copiedName' : 'copyName', { file: visibleText(link.filename) })}
        onClick={onCopy}
      >
        {text(state === 'copied' ? 'copied' : 'copy')}
      </Button>
      {state === 'failed' ? (
        <span>
          {text('copyFailed')} <span className={classes.plain}>{link.url}</span>
        </span>
      ) : null}
    </div>
  );
}

function Until({ link }: { link: AppLinkBody }) {
  const locale = useLocale();
  const { today } = useMe();
  return (
    <span className={classes.until}>
      <span className={classes.date}>{dateText(locale, link.expires_at)}</span>
      {link.state === 'ending' ? (
        <Pill tone="warning">{daysAhead(locale, daysUntil(today, link.expires_at))}</Pill>
      ) : null}
    </span>
  );
}

/** A password and the confirmation of an address may both be asked for. */
export function Access({ link }: { link: Pick<AppLinkBody, 'has_password' | 'require_authentication'> }) {
  const text = useText('file-links');
  const facts = [
    ...(link.has_password ? [{ icon: KeyRound, words: text('withPassword') }] : []),
    ...(link.require_authentication ? [{ icon: MailCheck, words: text('confirmed') }] : []),
  ];
  if (facts.length === 0) facts.push({ icon: Users, words: text('anyone') });
  return (
    <span className={classes.access}>
      {facts.map(({ icon, words }) => (
        <span key={words} className={classes.fact}>
          <Icon of={icon} sizePx={16} />
          {words}
        </span>
      ))}
    </span>
  );
}

const fewRows = '10';
const allRows = '100';

/** Folded unless the address says `expired`; nothing at all when there are none. */
export function ExpiredLinks() {
  const text = useText('file-links');
  const locale = useLocale();
  const { words, change } = useAddress();
  const id = useId();
  const isOpen = words.expired !== undefined;
  const query = { state: 'expired', sort: '-expires_at', size: words.expired === 'all' ? allRows : fewRows } as const;
  const links = useApi('listAppLinks', { query }, { keepsLast: true });
  if (links.error) return <ErrorState error={links.error} onRetry={() => void links.refetch()} />;
  if (links.data === undefined || links.data.total === 0) return null;
  const { items, total } = links.data;
  return (
    <section className={classes.fold} aria-label={text('expiredLabel')}>
      <h2>
        <button
          type="button"
          className={classes.foldButton}
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => change({ expired: isOpen ? undefined : '1' })}
        >
          <Icon of={isOpen ? ChevronDown : ChevronRight} />
          {text('expiredTitle', { n: total })}
        </button>
      </h2>
      <div id={id} hidden={!isOpen}>
        {isOpen ? (
          <Card isFlush>
            <div className={classes.rows}>
              <FileList label={text('expiredLabel')}>
                {items.map((link) => (
                  <FileRow
                    key={link.id}
                    name={link.filename}
                    state={text('expiredLine', { date: dateText(locale, link.expires_at), n: link.downloads })}
                    link={(name) => (
                      <Link to="/links/$id" params={{ id: link.id }}>
                        <bdi>{name}</bdi>
                      </Link>
                    )}
                    actions={
                      <ButtonLink
                        to="/links"
                        search={{ new: '1', again: link.id } as never}
                        size="small"
                        aria-label={text('makeNewName', { file: visibleText(link.filename) })}
                      >
                        {text('makeNew')}
                      </ButtonLink>
                    }
                  />
                ))}
              </FileList>
            </div>
            {total > items.length && words.expired !== 'all' ? (
              <div className={classes.more}>
                <Button size="small" onClick={() => change({ expired: 'all' })}>
                  {text('showAll', { n: total })}
                </Button>
              </div>
            ) : null}
          </Card>
        ) : null}
      </div>
    </section>
  );
}

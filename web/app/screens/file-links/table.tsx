// The caller's live links as a table, with Copy at hand.
import { Link, useNavigate } from '@tanstack/react-router';
import { Copy, Download, KeyRound, MailCheck, Settings, Trash2, Users } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { AppLinkBody } from '#contract/app/file-links.ts';
import { visibleText } from '../../../visible.ts';
import { useApi } from '../../api.ts';
import { type Formats, useFormats } from '../../formats.ts';
import { useList } from '../../list.ts';
import { type Text, useText } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import type { Column } from '../../ui/columns.ts';
import { useCopy } from '../../ui/copy-field.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { FilterText } from '../../ui/filters.tsx';
import { Note, Row, Stack } from '../../ui/layout.tsx';
import { Pill } from '../../ui/pill.tsx';
import classes from './file-links.module.css';

export function LinksTable({ empty, onDelete }: { empty: ReactNode; onDelete: (link: AppLinkBody) => void }) {
  const text = useText('file-links');
  const formats = useFormats();
  const navigate = useNavigate();
  const list = useList({ filters: ['q'], sort: '-created_at' });
  const links = useApi('listAppLinks', { query: { ...list.query, state: 'live' as const } }, { keepsLast: true });
  const { state, copy } = useCopy(text('copiedSaid'));
  const [copiedId, setCopiedId] = useState('');
  const copyLink = (link: AppLinkBody) => {
    setCopiedId(link.id);
    void copy(link.url);
  };
  const open = (id: string, hash: string) => void navigate({ to: '/links/$id', params: { id }, hash });
  const copyCell = (link: AppLinkBody) => (
    <CopyCell link={link} state={link.id === copiedId ? state : 'ready'} onCopy={() => copyLink(link)} />
  );
  return (
    <DataTable
      name="links"
      caption={text('caption')}
      columns={[...columnsOf(text, formats), { id: 'link', header: text('link'), cell: copyCell }]}
      list={list}
      query={links}
      rows={links.data?.items}
      total={links.data?.total}
      rowName={({ filename }) => visibleText(filename)}
      filters={<FilterText list={list} name="q" label={text('search')} />}
      empty={empty}
      actions={(link) => [
        {
          items: [
            { label: text('actionCopy'), icon: Copy, onPress: () => copyLink(link) },
            { label: text('actionSettings'), icon: Settings, onPress: () => open(link.id, 'settings') },
            { label: text('actionDownloads'), icon: Download, onPress: () => open(link.id, 'downloads') },
          ],
        },
        { items: [{ label: text('actionDelete'), icon: Trash2, isDanger: true, onPress: () => onDelete(link) }] },
      ]}
    />
  );
}

function columnsOf(text: Text<'file-links'>, formats: Formats): Column<AppLinkBody>[] {
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
    { id: 'size', header: text('size'), sort: 'size', isNumeric: true, cell: ({ size }) => formats.size(size) },
    {
      id: 'until',
      header: text('until'),
      sort: 'expires_at',
      cell: ({ expires_at, state }) => (
        <Row>
          <span className={classes.date}>{formats.date(expires_at)}</span>
          {state === 'ending' ? <Pill tone="warning">{formats.relative(expires_at)}</Pill> : null}
        </Row>
      ),
    },
    { id: 'access', header: text('access'), cell: (link) => <Access link={link} /> },
    { id: 'downloads', header: text('downloads'), isNumeric: true, cell: ({ downloads }) => downloads },
    {
      id: 'last',
      header: text('lastDownload'),
      cell: ({ last_download_at: at }) =>
        at === null ? text('never') : <span className={classes.date}>{formats.moment(at)}</span>,
    },
    {
      id: 'created',
      header: text('created_at'),
      sort: 'created_at',
      isHidden: true,
      cell: ({ created_at }) => <span className={classes.date}>{formats.dateOf(created_at)}</span>,
    },
  ];
}

interface CopyProps {
  link: AppLinkBody;
  state: ReturnType<typeof useCopy>['state'];
  onCopy: () => void;
}

function CopyCell({ link, state, onCopy }: CopyProps) {
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

/** A password and the confirmation of an address may both be asked for. */
function Access({ link }: { link: AppLinkBody }) {
  const text = useText('file-links');
  return (
    <Stack gap={2}>
      {link.has_password ? <Note icon={KeyRound}>{text('withPassword')}</Note> : null}
      {link.require_authentication ? <Note icon={MailCheck}>{text('confirmed')}</Note> : null}
      {link.has_password || link.require_authentication ? null : <Note icon={Users}>{text('anyone')}</Note>}
    </Stack>
  );
}

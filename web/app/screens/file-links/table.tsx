import { Link, useNavigate } from '@tanstack/react-router';
import { Copy, Download, KeyRound, MailCheck, Settings, Trash2, Users } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { AppLinkBody } from '#contract/app/file-links.ts';
import { visibleText } from '../../../visible.ts';
import { useApi } from '../../api.ts';
import { type Formats, useFormats } from '../../formats.ts';
import { useList } from '../../list.ts';
import { Until } from '../../parts/until.tsx';
import { type Text, useText } from '../../texts.ts';
import { Button } from '../../ui/button.tsx';
import type { Column } from '../../ui/columns.ts';
import { useCopy } from '../../ui/copy-field.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Notice } from '../../ui/states.tsx';
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
  const isCopied = (link: AppLinkBody) => link.id === copiedId && state === 'copied';
  const copyColumn: Column<AppLinkBody> = {
    id: 'link',
    header: text('link'),
    width: 'mark',
    small: 'mark',
    cell: (link) => <CopyCell link={link} isCopied={isCopied(link)} onCopy={() => copyLink(link)} />,
    // The row menu copies it.
    smallCell: (link) => (isCopied(link) ? text('copied') : null),
  };
  const uncopied = state === 'failed' ? links.data?.items.find(({ id }) => id === copiedId) : undefined;
  return (
    <>
      {uncopied === undefined ? null : (
        <Notice tone="warning">
          {text('copyFailed')} <span className={classes.plain}>{uncopied.url}</span>
        </Notice>
      )}
      <DataTable
        name="links"
        caption={text('caption')}
        columns={[...columnsOf(text, formats), copyColumn]}
        list={list}
        query={links}
        rows={links.data?.items}
        total={links.data?.total}
        rowName={({ filename }) => visibleText(filename)}
        filters={[{ name: 'q', label: text('search'), isMain: true }]}
        empty={empty}
        actions={(link) => [
          {
            items: [
              { label: text('actionCopy'), icon: Copy, onClick: () => copyLink(link) },
              { label: text('actionSettings'), icon: Settings, onClick: () => open(link.id, 'settings') },
              { label: text('actionDownloads'), icon: Download, onClick: () => open(link.id, 'downloads') },
            ],
          },
          { items: [{ label: text('actionDelete'), icon: Trash2, isDanger: true, onClick: () => onDelete(link) }] },
        ]}
      />
    </>
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
      under: ({ size }) => formats.size(size),
    },
    {
      id: 'size',
      header: text('size'),
      sort: 'size',
      isHidden: true,
      isNumeric: true,
      width: 'date',
      cell: ({ size }) => formats.size(size),
    },
    {
      id: 'until',
      header: text('until'),
      sort: 'expires_at',
      width: 'mark',
      small: 'mark',
      cell: ({ expires_at }) => <Until date={expires_at} />,
      smallCell: ({ expires_at }) => <Until date={expires_at} isShort />,
    },
    {
      id: 'access',
      header: text('access'),
      width: 'quarter',
      small: 'line',
      cell: (link) => accessOf(text, link)[0],
      under: (link) => accessOf(text, link)[1],
    },
    {
      id: 'downloads',
      header: text('downloads'),
      width: 'mark',
      small: 'line',
      cell: ({ downloads }) => formats.number(downloads),
      under: ({ last_download_at: at }) =>
        at === null ? null : text('lastAt', { time: formats.shortDate(formats.dayOf(at)) }),
      smallCell: ({ downloads: n }) => (n === 0 ? null : text('timesDownloaded', { n })),
    },
    {
      id: 'created',
      header: text('created_at'),
      sort: 'created_at',
      isHidden: true,
      width: 'date',
      cell: ({ created_at }) => formats.dateOf(created_at),
    },
  ];
}

interface CopyProps {
  link: AppLinkBody;
  isCopied: boolean;
  onCopy: () => void;
}

function CopyCell({ link, isCopied, onCopy }: CopyProps) {
  const text = useText('file-links');
  return (
    <Button
      size="small"
      icon={Copy}
      aria-label={text(isCopied ? 'copiedName' : 'copyName', { file: visibleText(link.filename) })}
      onClick={onCopy}
    >
      {text(isCopied ? 'copied' : 'copy')}
    </Button>
  );
}

/** A password, a confirmed address, or both. */
function accessOf(text: Text<'file-links'>, link: AppLinkBody): ReactNode[] {
  const requirements = [
    { isRequired: link.has_password, icon: KeyRound, label: text('withPassword') },
    { isRequired: link.require_authentication, icon: MailCheck, label: text('confirmed') },
  ].filter(({ isRequired }) => isRequired);
  const shown = requirements.length === 0 ? [{ icon: Users, label: text('anyone') }] : requirements;
  return shown.map(({ icon, label }) => (
    <span key={label} className={classes.access}>
      <Icon of={icon} sizePx={14} /> {label}
    </span>
  ));
}

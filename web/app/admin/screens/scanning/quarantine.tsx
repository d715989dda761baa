import { Link } from '@tanstack/react-router';
import { LockOpen, ShieldCheck, Trash2 } from 'lucide-react';
import { Fragment, useState } from 'react';
import { visibleText } from '../../../../visible.ts';
import { useApi } from '../../../api.ts';
import { useFormats } from '../../../formats.ts';
import { useMe } from '../../../me.ts';
import { useText } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import type { Column, Selection } from '../../../ui/columns.ts';
import type { MenuGroup } from '../../../ui/menu.tsx';
import { Pill } from '../../../ui/pill.tsx';
import { CardTable } from '../../../ui/plain-table.tsx';
import { EmptyState, Loaded } from '../../../ui/states.tsx';
import { ConsoleScreen } from '../../parts/console-screen.tsx';
import { type Held, useReason, verdicts } from '../../parts/scan-names.ts';
import { systemAdministrators } from '../../roles.ts';
import { DeleteDialog, ReleaseDialog } from './quarantine-dialogs.tsx';

interface Asked {
  what: 'release' | 'delete';
  files: readonly Held[];
}

export default function QuarantineScreen() {
  const text = useText('admin/scanning');
  const mayChange = systemAdministrators.includes(useMe().role);
  const query = useApi('listQuarantine', {}, { everyMs: 10_000 });
  return (
    <ConsoleScreen title={text('quarantine')} lead={text('quarantineLead')} changers={systemAdministrators}>
      <Loaded query={query}>
        {({ quarantine }) =>
          quarantine.length === 0 ? (
            <EmptyState icon={ShieldCheck}>{text('quarantineEmpty')}</EmptyState>
          ) : (
            <Files files={quarantine} mayChange={mayChange} />
          )
        }
      </Loaded>
    </ConsoleScreen>
  );
}

function Files({ files, mayChange }: { files: readonly Held[]; mayChange: boolean }) {
  const text = useText('admin/scanning');
  const [asked, setAsked] = useState<Asked | null>(null);
  const [chosen, setChosen] = useState<Set<string>>(new Set());
  const selected = files.filter(({ id }) => chosen.has(id));
  const actions = (file: Held): MenuGroup[] => [
    {
      items: [
        { label: text('release'), icon: LockOpen, onClick: () => setAsked({ what: 'release', files: [file] }) },
        {
          label: text('delete'),
          icon: Trash2,
          isDanger: true,
          onClick: () => setAsked({ what: 'delete', files: [file] }),
        },
      ],
    },
  ];
  const button = (what: Asked['what']) => (
    <Button size="small" variant="quiet" onClick={() => setAsked({ what, files: selected })}>
      {text(what)}
    </Button>
  );
  const selection: Selection = {
    ids: new Set(selected.map(({ id }) => id)),
    onChange: setChosen,
    actions: (
      <>
        {button('release')}
        {button('delete')}
      </>
    ),
  };
  const Dialog = asked?.what === 'delete' ? DeleteDialog : ReleaseDialog;
  return (
    <Card isFlush>
      <CardTable
        caption={text('quarantine')}
        columns={useColumns()}
        rows={files}
        rowName={({ filename }) => visibleText(filename)}
        {...(mayChange ? { actions, selection } : {})}
      />
      {asked === null ? null : <Dialog files={asked.files} onClose={() => setAsked(null)} />}
    </Card>
  );
}

function useColumns(): Column<Held>[] {
  const text = useText('admin/scanning');
  const formats = useFormats();
  const reasonOf = useReason();
  const uploaderOf = ({ uploader }: Held) => (uploader === '' ? text('outside') : visibleText(uploader));
  return [
    {
      id: 'file',
      header: text('file'),
      cell: ({ filename }) => <bdi>{visibleText(filename)}</bdi>,
      under: ({ size, held_at }) => text('held', { size: formats.size(size), time: formats.dateTime(held_at) }),
    },
    {
      id: 'verdict',
      header: text('verdict'),
      width: 'quarter',
      small: 'mark',
      cell: ({ verdict }) => {
        const { label, tone, icon } = verdicts[verdict];
        return (
          <Pill tone={tone} icon={icon}>
            {text(label)}
          </Pill>
        );
      },
      under: (file) => <bdi>{reasonOf(file)}</bdi>,
    },
    {
      id: 'uploader',
      header: text('uploader'),
      width: 'quarter',
      small: 'line',
      cell: (file) => <bdi>{uploaderOf(file)}</bdi>,
      smallCell: (file) => (
        <>
          <bdi>{reasonOf(file)}</bdi> · <bdi>{uploaderOf(file)}</bdi>
        </>
      ),
    },
    {
      id: 'transfers',
      header: text('transfers'),
      width: 'quarter',
      cell: ({ transfers: [first] }) => (first === undefined ? '–' : <Transfer reference={first} />),
      under: ({ transfers }) =>
        transfers.slice(1).map((reference) => (
          <Fragment key={reference}>
            <Transfer reference={reference} />{' '}
          </Fragment>
        )),
    },
  ];
}

function Transfer({ reference }: { reference: string }) {
  return (
    <Link to="/admin/transfers" search={{ id: reference } as never}>
      {reference}
    </Link>
  );
}

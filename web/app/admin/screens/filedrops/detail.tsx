import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { ExternalLink, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { SystemDropBody } from '#contract/admin/filedrops.ts';
import { visibleText } from '../../../../visible.ts';
import { useApi, useApiChange } from '../../../api.ts';
import { useFormats } from '../../../formats.ts';
import { useMe } from '../../../me.ts';
import { Screen } from '../../../parts/screen.tsx';
import { ScreenLoaded } from '../../../parts/screen-states.tsx';
import { useText } from '../../../texts.ts';
import { announce } from '../../../ui/announcer.tsx';
import { Button, ButtonAnchor, ButtonLink } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { CopyField } from '../../../ui/copy-field.tsx';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { Columns, Muted, Pairs, Stack } from '../../../ui/layout.tsx';
import { ShareCode } from '../../../ui/qr-code.tsx';
import { Notice } from '../../../ui/states.tsx';
import { administrators } from '../../roles.ts';
import { DropState, isStuck, useReceiverName } from './labels.tsx';
import { DropSettings } from './settings.tsx';

export default function FiledropScreen() {
  const { id } = useParams({ strict: false }) as { id: string };
  const query = useApi('getSystemDrop', { params: { id } });
  return <ScreenLoaded query={query}>{({ filedrop }) => <Drop drop={filedrop} />}</ScreenLoaded>;
}

type OpenDialog = 'close' | 'delete' | null;

function Drop({ drop }: { drop: SystemDropBody }) {
  const text = useText('admin/filedrops');
  const console = useText('admin/console');
  const [openDialog, setOpenDialog] = useState<OpenDialog>(null);
  const isAdministrator = administrators.includes(useMe().role);
  const mayChange = isAdministrator && drop.may_change;
  const title = visibleText(drop.title);
  return (
    <Screen
      title={title}
      heading={<bdi>{title}</bdi>}
      back={{ to: '/admin/drop-pages', label: text('title') }}
      actions={mayChange ? <Actions drop={drop} onOpen={setOpenDialog} /> : undefined}
    >
      {mayChange ? null : <Muted>{isAdministrator ? text('outOfReach') : console('readOnly')}</Muted>}
      {isStuck(drop) ? (
        <Notice tone="danger" title={text('stuckTitle')}>
          {text('stuckText')}
        </Notice>
      ) : null}
      {drop.open ? null : <Notice title={text('closedTitle')}>{text('closedText')}</Notice>}
      <Columns
        main={mayChange ? <DropSettings key={drop.updated_at} drop={drop} /> : <Facts drop={drop} />}
        side={
          <>
            <Address drop={drop} />
            <Deliveries drop={drop} />
          </>
        }
      />
      {openDialog === 'close' ? <CloseDialog drop={drop} onClose={() => setOpenDialog(null)} /> : null}
      {openDialog === 'delete' ? <DeleteDialog drop={drop} onClose={() => setOpenDialog(null)} /> : null}
    </Screen>
  );
}

function Actions({ drop, onOpen }: { drop: SystemDropBody; onOpen: (openDialog: OpenDialog) => void }) {
  const text = useText('admin/filedrops');
  const change = useApiChange('changeSystemDrop', ['admin']);
  const open = () =>
    change.mutate(
      { params: { id: drop.id }, body: { filedrop: { open: true } } },
      { onSuccess: () => announce(text('openedSaid')) },
    );
  return (
    <>
      {drop.open ? (
        <Button onClick={() => onOpen('close')}>{text('close')}</Button>
      ) : (
        <Button variant="primary" isBusy={change.isPending} onClick={open}>
          {text('open')}
        </Button>
      )}
      <Button icon={Trash2} onClick={() => onOpen('delete')}>
        {text('delete')}
      </Button>
    </>
  );
}

function Address({ drop }: { drop: SystemDropBody }) {
  const text = useText('admin/filedrops');
  return (
    <Card
      title={text('address')}
      actions={
        drop.open ? (
          <ButtonAnchor href={drop.url} target="_blank" rel="noopener" size="small" variant="quiet" icon={ExternalLink}>
            {text('preview')}
          </ButtonAnchor>
        ) : undefined
      }
    >
      <Stack>
        <CopyField label={text('fullAddress')} value={drop.url} announcement={text('copied')} />
        <ShareCode address={drop.url} title={visibleText(drop.title)} />
      </Stack>
    </Card>
  );
}

function Deliveries({ drop }: { drop: SystemDropBody }) {
  const text = useText('admin/filedrops');
  const formats = useFormats();
  return (
    <Card title={text('deliveries')}>
      <Stack>
        <Pairs
          pairs={[
            { name: text('state'), value: <DropState drop={drop} /> },
            { name: text('soFar'), value: formats.number(drop.deliveries) },
            {
              name: text('last'),
              value: drop.last_delivery_at === null ? text('never') : formats.dateTime(drop.last_delivery_at),
            },
          ]}
        />
        <div>
          <ButtonLink size="small" to="/admin/activity" search={{ object: drop.id } as never}>
            {text('history')}
          </ButtonLink>
        </div>
      </Stack>
    </Card>
  );
}

function Facts({ drop }: { drop: SystemDropBody }) {
  const text = useText('admin/filedrops');
  const formats = useFormats();
  const receiverName = useReceiverName();
  const { max_size: size, permitted_extensions: types } = drop;
  return (
    <Card title={text('settings')}>
      <Pairs
        pairs={[
          { name: text('intro'), value: drop.intro === '' ? text('none') : <bdi>{visibleText(drop.intro)}</bdi> },
          { name: text('receivers'), value: <bdi>{formats.list(drop.receivers.map(receiverName))}</bdi> },
          { name: text('maxSize'), value: size === null ? text('asGroup') : formats.size(size * 1024 * 1024) },
          { name: text('types'), value: types === '' ? text('asGroup') : types.replaceAll(',', ', ') },
          { name: text('confirm'), value: text(drop.confirm_sender ? 'yes' : 'no') },
        ]}
      />
    </Card>
  );
}

function CloseDialog({ drop, onClose }: { drop: SystemDropBody; onClose: () => void }) {
  const text = useText('admin/filedrops');
  const change = useApiChange('changeSystemDrop', ['admin']);
  const onSuccess = () => {
    announce(text('closedSaid'));
    onClose();
  };
  return (
    <ConfirmDialog
      isDanger
      title={text('closeAsk', { title: visibleText(drop.title) })}
      confirmLabel={text('close')}
      cancelLabel={text('keepOpen')}
      change={change}
      onConfirm={() => change.mutate({ params: { id: drop.id }, body: { filedrop: { open: false } } }, { onSuccess })}
      onClose={onClose}
    >
      {text('closeText')}
    </ConfirmDialog>
  );
}

function DeleteDialog({ drop, onClose }: { drop: SystemDropBody; onClose: () => void }) {
  const text = useText('admin/filedrops');
  const navigate = useNavigate();
  const known = useQueryClient();
  const removal = useApiChange('deleteSystemDrop', []);
  // Navigate away first; refetching a deleted drop page would 404.
  const onSuccess = async () => {
    announce(text('deletedSaid'));
    await navigate({ to: '/admin/drop-pages', replace: true });
    await known.invalidateQueries({ queryKey: ['admin'] });
  };
  return (
    <ConfirmDialog
      isDanger
      title={text('deleteAsk', { title: visibleText(drop.title) })}
      confirmLabel={text('delete')}
      cancelLabel={text('keep')}
      change={removal}
      onConfirm={() => removal.mutate({ params: { id: drop.id } }, { onSuccess })}
      onClose={onClose}
    >
      {text('deleteText')}
    </ConfirmDialog>
  );
}

// Unused files can be deleted here; shared ones by ending their sharing.
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { AppFileBody } from '#contract/app/files.ts';
import { visibleText } from '../../../visible.ts';
import { useApi, useApiChange } from '../../api.ts';
import { useFormats } from '../../formats.ts';
import { StorageMeter } from '../../parts/storage-meter.tsx';
import { useSearchParams } from '../../search-params.ts';
import { useText } from '../../texts.ts';
import { announce } from '../../ui/announcer.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { FileList, FileRow } from '../../ui/file-row.tsx';
import { Muted, Stack } from '../../ui/layout.tsx';

/** The server's limit of a page. */
const mostRows = 100;
const firstRows = 25;

export function AccountStorage() {
  const text = useText('account');
  const { params } = useSearchParams();
  const [sizeRows, setSizeRows] = useState(firstRows);
  const query = { sort: '-size', size: String(sizeRows) } as never;
  const files = useApi('listAppFiles', { query }, { keepsLast: true });
  const [doomed, setDoomed] = useState<AppFileBody | null>(null);
  const items = files.data?.items ?? [];
  return (
    <Card title={text('largestFiles')}>
      <Stack>
        {params.from === 'send' ? (
          <div>
            <ButtonLink to="/send" variant="primary">
              {text('backToMessage')}
            </ButtonLink>
          </div>
        ) : null}
        <StorageMeter />
        {items.length === 0 ? (
          <Muted>{text('storageEmpty')}</Muted>
        ) : (
          <FileList label={text('largestFiles')}>
            {items.map((file) => (
              <StoredFile key={file.id} file={file} onDelete={() => setDoomed(file)} />
            ))}
          </FileList>
        )}
        {files.data !== undefined && files.data.total > items.length && sizeRows < mostRows ? (
          <div>
            <Button size="small" onClick={() => setSizeRows(mostRows)}>
              {text('moreFiles')}
            </Button>
          </div>
        ) : null}
      </Stack>
      {doomed === null ? null : <DeleteFile file={doomed} onClose={() => setDoomed(null)} />}
    </Card>
  );
}

function StoredFile({ file, onDelete }: { file: AppFileBody; onDelete: () => void }) {
  const text = useText('account');
  const formats = useFormats();
  const [use] = file.used_in;
  const size = formats.size(file.size);
  return (
    <FileRow
      name={file.filename}
      state={
        use === undefined ? (
          text('fileUnused', { size })
        ) : (
          <>
            {text('fileUsed', { size })}{' '}
            <Link to={use.kind === 'message' ? '/sent/$id' : '/links/$id'} params={{ id: use.id }}>
              {visibleText(use.title) || text('fileUse')}
            </Link>
          </>
        )
      }
      actions={
        use === undefined ? (
          <Button
            size="small"
            aria-label={text('deleteFileName', { file: visibleText(file.filename) })}
            onClick={onDelete}
          >
            {text('deleteFile')}
          </Button>
        ) : undefined
      }
    />
  );
}

function DeleteFile({ file, onClose }: { file: AppFileBody; onClose: () => void }) {
  const text = useText('account');
  const change = useApiChange('deleteAttachment', ['messages']);
  const name = visibleText(file.filename);
  const onSuccess = () => {
    announce(text('fileDeleted', { file: name }));
    onClose();
  };
  return (
    <ConfirmDialog
      title={text('deleteFileAsk', { file: name })}
      confirmLabel={text('deleteFile')}
      cancelLabel={text('keepFile')}
      isDanger
      change={change}
      onConfirm={() => change.mutate({ params: { id: file.id } }, { onSuccess })}
      onClose={onClose}
    >
      <p>{text('deleteFileText')}</p>
    </ConfirmDialog>
  );
}

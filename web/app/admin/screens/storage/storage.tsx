import { useState } from 'react';
import type { StorageBody } from '#contract/admin/storage.ts';
import { useApi, useApiChange } from '../../../api.ts';
import { useFormats } from '../../../formats.ts';
import { useMe } from '../../../me.ts';
import { ScreenLoaded } from '../../../parts/screen-states.tsx';
import { useText } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { Pairs, Row, Stack } from '../../../ui/layout.tsx';
import { Progress } from '../../../ui/progress.tsx';
import { ProblemNotice } from '../../../ui/states.tsx';
import { ConsoleScreen } from '../../parts/console-screen.tsx';
import { systemAdministrators } from '../../roles.ts';
import { Days } from './days.tsx';
import { StorageTables } from './tables.tsx';
import { TaskProgress } from './task.tsx';

export default function StorageScreen() {
  const query = useApi('getStorageOverview', {});
  return <ScreenLoaded query={query}>{({ storage }) => <Storage storage={storage} />}</ScreenLoaded>;
}

function Storage({ storage }: { storage: StorageBody }) {
  const text = useText('admin/storage');
  const mayChange = systemAdministrators.includes(useMe().role);
  return (
    <ConsoleScreen title={text('title')} lead={text('lead')} changers={systemAdministrators}>
      <Stack>
        <Card title={text('now')}>
          <Stack>
            <Sums storage={storage} />
            {mayChange ? <Work waiting={storage.waiting_files} /> : null}
          </Stack>
        </Card>
        <Days storage={storage} />
        <StorageTables storage={storage} />
      </Stack>
    </ConsoleScreen>
  );
}

function Sums({ storage }: { storage: StorageBody }) {
  const text = useText('admin/storage');
  const { size, number } = useFormats();
  const { free, total } = storage;
  return (
    <>
      {free === null || total === null || total === 0 ? null : (
        <Progress
          label={text('disk')}
          share={(total - free) / total}
          text={text('diskOf', { used: size(total - free), total: size(total) })}
        />
      )}
      <Pairs
        pairs={[
          { name: text('used'), value: size(storage.used) },
          { name: text('free'), value: storage.free === null ? text('unknown') : size(storage.free) },
          { name: text('files'), value: number(storage.files) },
          { name: text('waiting'), value: `${size(storage.waiting)} (${number(storage.waiting_files)})` },
          { name: text('unfinished'), value: `${size(storage.unfinished)} (${number(storage.unfinished_uploads)})` },
        ]}
      />
    </>
  );
}

function Work({ waiting }: { waiting: number }) {
  const text = useText('admin/storage');
  const [task, setTask] = useState<string | null>(null);
  const [isAsking, setIsAsking] = useState(false);
  const deletion = useApiChange('deleteExpired', ['admin']);
  const check = useApiChange('checkFiles', ['admin']);
  if (task !== null) return <TaskProgress id={task} onClose={() => setTask(null)} />;
  const onDeleting = ({ task: { id } }: { task: { id: string } }) => {
    setIsAsking(false);
    setTask(id);
  };
  return (
    <>
      <Row>
        <Button variant="primary" isDisabled={waiting === 0} onClick={() => setIsAsking(true)}>
          {text('delete')}
        </Button>
        <Button
          isBusy={check.isPending}
          onClick={() => check.mutate({}, { onSuccess: ({ task: { id } }) => setTask(id) })}
        >
          {text('check')}
        </Button>
      </Row>
      <ProblemNotice error={check.error} />
      {isAsking ? (
        <ConfirmDialog
          isDanger
          title={text('deleteTitle')}
          confirmLabel={text('delete')}
          cancelLabel={text('keep')}
          change={deletion}
          onConfirm={() => deletion.mutate({}, { onSuccess: onDeleting })}
          onClose={() => setIsAsking(false)}
        >
          {text('deleteText')}
        </ConfirmDialog>
      ) : null}
    </>
  );
}

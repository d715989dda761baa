import { useEffect, useMemo, useState } from 'react';
import { chooseFilesWithHandles, type Picked } from '../../../uploads/pick.ts';
import { visibleText } from '../../../visible.ts';
import { addDays } from '../../dates.ts';
import { useMe } from '../../me.ts';
import { StorageMeter } from '../../parts/storage-meter.tsx';
import { useText } from '../../texts.ts';
import { chooseAgainText } from '../../transfers/choose-again.ts';
import { EarlierFiles, EarlierRow } from '../../transfers/earlier-files.tsx';
import type { MissingFile } from '../../transfers/engine.ts';
import { limitsFor } from '../../transfers/limits.ts';
import { TransferRow } from '../../transfers/row.tsx';
import { isRunning } from '../../transfers/running.ts';
import { transfers, useTransfers } from '../../transfers/transfers.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/choice.tsx';
import { DateField } from '../../ui/date-field.tsx';
import { DrawerForm } from '../../ui/drawer.tsx';
import { DropZone } from '../../ui/drop-zone.tsx';
import { ErrorSummary } from '../../ui/error-summary.tsx';
import { FileList } from '../../ui/file-row.tsx';
import { Muted, Stack } from '../../ui/layout.tsx';
import { Notice, ProblemNotice } from '../../ui/states.tsx';
import { CreatedLinks } from './created.tsx';
import { GroupRules } from './group-rules.tsx';
import type { NewLinkForm } from './new-link-form.ts';
import { PasswordChoice } from './password-choice.tsx';

interface Props {
  form: NewLinkForm;
  isPage?: boolean;
  onClose: () => void;
}

const zoneId = 'new-link-files';

export function NewLink({ form, isPage = false, onClose }: Props) {
  const text = useText('file-links');
  const ui = useText('ui');
  const { isDone, mistake, invalid, isWaiting, isBusy, uploads, created } = form;
  const sentence = mistake === null ? null : text(mistake === 'none' ? 'addFile' : 'uploadFailed');
  const mistakes = useMemo(
    () => [...(sentence === null ? [] : [{ fieldId: zoneId, sentence }]), ...invalid],
    [sentence, invalid],
  );
  useEffect(() => {
    // Created links must not be offered as unfinished.
    if (isDone) transfers().clear('links');
  }, [isDone]);
  if (isDone) return <CreatedLinks form={form} isPage={isPage} onClose={onClose} />;
  return (
    <DrawerForm
      isPage={isPage}
      actions={
        <>
          {isPage ? null : (
            <Button variant="quiet" onClick={onClose}>
              {ui('cancel')}
            </Button>
          )}
          {isWaiting ? (
            <Button onClick={form.stopWaiting}>{text('dontCreate')}</Button>
          ) : (
            <Button variant="primary" isBusy={isBusy} onClick={form.submit}>
              {text(uploads.some(isRunning) ? 'createLater' : 'createCopy')}
            </Button>
          )}
        </>
      }
    >
      <ErrorSummary mistakes={mistakes} />
      <Files form={form} />
      <Settings form={form} />
      {isWaiting ? <Notice>{text('waiting')}</Notice> : null}
      <ProblemNotice error={form.error} />
      {form.error === null || created.length === 0 ? null : <Muted>{text('someFailed', { n: created.length })}</Muted>}
    </DrawerForm>
  );
}

function Files({ form: { uploads, earlier, setEarlier, fileCount } }: { form: NewLinkForm }) {
  const text = useText('file-links');
  const me = useMe();
  const add = (picked: Picked[]) => void transfers().add('links', picked, limitsFor(me, 'links'));
  return (
    <Stack gap={12}>
      <Unfinished onChoose={add} />
      <DropZone
        id={zoneId}
        onFiles={add}
        allowsFolders={false}
        help={text('filesHelp')}
        more={<EarlierFiles chosen={earlier} onAdd={(file) => setEarlier([...earlier, file])} />}
      />
      <StorageMeter />
      {uploads.length + earlier.length === 0 ? null : (
        <FileList label={text('addedFiles')}>
          {earlier.map((file) => (
            <EarlierRow
              key={file.id}
              file={file}
              onRemove={() => setEarlier(earlier.filter(({ id }) => id !== file.id))}
            />
          ))}
          {uploads.map((file) => (
            <TransferRow key={file.id} file={file} />
          ))}
        </FileList>
      )}
      {fileCount > 1 ? <Muted>{text('each')}</Muted> : null}
    </Stack>
  );
}

/** One click continues where the browser can read the files again. */
function Unfinished({ onChoose }: { onChoose: (picked: Picked[]) => void }) {
  const text = useText('file-links');
  const { links: left = [] } = useTransfers('links').unfinished;
  const [missing, setMissing] = useState<MissingFile[]>([]);
  const restore = async () => {
    transfers().restore('links');
    const found = await transfers().reopen('links');
    if (found.picked.length > 0) onChoose(found.picked);
    if (found.missing.some(({ why }) => why !== 'unknown')) setMissing(found.missing);
    else if (found.missing.length > 0) chooseFilesWithHandles(false, onChoose);
  };
  if (missing.length > 0) return <Missing files={missing} onChange={setMissing} onChoose={onChoose} />;
  if (left.length === 0) return null;
  return (
    <Notice
      action={
        <>
          <Button size="small" onClick={() => void restore()}>
            {text('continue')}
          </Button>
          <Button size="small" variant="quiet" onClick={() => transfers().discard('links')}>
            {text('discard')}
          </Button>
        </>
      }
    >
      {text('unfinished', { n: left.length })}
    </Notice>
  );
}

interface MissingProps {
  files: MissingFile[];
  onChange: (files: MissingFile[]) => void;
  onChoose: (picked: Picked[]) => void;
}

/** Files the browser could not read again. */
function Missing({ files, onChange, onChoose }: MissingProps) {
  const text = useText('file-links');
  const upload = useText('upload');
  const choose = (picked: Picked[]) => {
    const left = files.filter(({ name }) => !picked.some(({ path }) => path === name));
    // A changed file is a different file.
    for (const file of files) if (file.why === 'changed' && !left.includes(file)) transfers().discard('links', file);
    onChoose(picked);
    onChange(left);
  };
  const discard = () => {
    for (const file of files) transfers().discard('links', file);
    onChange([]);
  };
  return (
    <Notice
      tone="warning"
      action={
        <>
          <Button size="small" onClick={() => chooseFilesWithHandles(false, choose)}>
            {upload('upload.again')}
          </Button>
          <Button size="small" variant="quiet" onClick={discard}>
            {text('discard')}
          </Button>
        </>
      }
    >
      {files.map((file) => (
        <p key={file.name}>
          <strong>{visibleText(file.name)}</strong>: {chooseAgainText(file, upload)}
        </p>
      ))}
    </Notice>
  );
}

function Settings({ form: { settings, set } }: { form: NewLinkForm }) {
  const text = useText('file-links');
  const { policy, today } = useMe();
  return (
    <Stack gap={12}>
      {policy.filelink_can_change_expiration ? (
        <DateField
          label={text('until')}
          value={settings.until}
          onChange={(until) => {
            if (until !== null) set({ until });
          }}
          today={today}
          max={addDays(today, policy.filelink_max_expiration)}
        />
      ) : null}
      {policy.filelink_can_set_password ? (
        <PasswordChoice
          label={text('password')}
          isOptional
          value={settings.password}
          onChange={(password) => set({ password })}
        />
      ) : null}
      {policy.filelink_can_change_require_authentication ? (
        <Checkbox
          label={text('confirm')}
          help={text('confirmHelp')}
          checked={settings.isConfirming}
          onChange={(isConfirming) => set({ isConfirming })}
        />
      ) : null}
      {policy.filelink_can_change_download_confirmation ? (
        <Checkbox
          label={text('tell')}
          help={text('tellHelp')}
          checked={settings.notifiesOwner}
          onChange={(notifiesOwner) => set({ notifiesOwner })}
        />
      ) : null}
      <GroupRules />
    </Stack>
  );
}

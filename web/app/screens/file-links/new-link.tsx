// The form for a new link, in a drawer or on a page, and what came of it.
import { useEffect, useMemo } from 'react';
import { sizeIn } from '#language/sizes.ts';
import { chooseFiles, type Picked } from '../../../uploads/pick.ts';
import { visibleText } from '../../../visible.ts';
import { addDays } from '../../dates.ts';
import { useMe } from '../../me.ts';
import { FormBar } from '../../parts/form-bar.tsx';
import { TransferRow } from '../../parts/transfer-row.tsx';
import { useLocale, useText } from '../../texts.ts';
import { isRunning, transfers, useTransfers } from '../../transfers/transfers.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/choice.tsx';
import { DateField } from '../../ui/date-field.tsx';
import { DropZone } from '../../ui/drop-zone.tsx';
import { ProblemNotice } from '../../ui/error-state.tsx';
import { ErrorSummary } from '../../ui/error-summary.tsx';
import { FileList, FileRow } from '../../ui/file-row.tsx';
import { Notice } from '../../ui/notice.tsx';
import { EarlierFiles } from '../messages/send/earlier-files.tsx';
import { CreatedLinks } from './created.tsx';
import { GroupRules } from './group-rules.tsx';
import classes from './new-link.module.css';
import { limitsForLinks, type NewLinkForm } from './new-link-form.ts';
import { PasswordChoice } from './password-choice.tsx';

interface Props {
  form: NewLinkForm;
  isPage?: boolean;
  onClose: () => void;
}

const zoneId = 'new-link-files';

export function NewLink({ form, isPage = false, onClose }: Props) {
  const text = useText('file-links');
  const { isDone, mistake, isWaiting, isBusy, uploads } = form;
  const sentence = mistake === null ? null : text(mistake === 'none' ? 'addFile' : 'uploadFailed');
  const mistakes = useMemo(() => (sentence === null ? [] : [{ fieldId: zoneId, sentence }]), [sentence]);
  useLeaving(form);
  if (isDone) return <CreatedLinks form={form} isPage={isPage} onClose={onClose} />;
  return (
    <div className={classes.form} data-page={isPage}>
      <ErrorSummary mistakes={mistakes} />
      <Files form={form} />
      <Settings form={form} />
      {isWaiting ? <Notice>{text('waiting')}</Notice> : null}
      <ProblemNotice error={form.error} />
      {form.created.length === 0 ? null : (
        <p className={classes.note}>{text('someFailed', { n: form.created.length })}</p>
      )}
      <FormBar>
        {isWaiting ? (
          <Button onClick={form.stopWaiting}>{text('dontCreate')}</Button>
        ) : (
          <Button variant="primary" isBusy={isBusy} onClick={form.press}>
            {text(uploads.some(isRunning) ? 'createLater' : 'createCopy')}
          </Button>
        )}
        {isPage ? null : (
          <Button variant="quiet" onClick={onClose}>
            {text('cancel')}
          </Button>
        )}
      </FormBar>
    </div>
  );
}

/** What was made is not offered again as something unfinished. */
function useLeaving({ isDone }: NewLinkForm): void {
  useEffect(() => {
    if (isDone) transfers().clear('links');
  }, [isDone]);
}

function Files({ form }: { form: NewLinkForm }) {
  const text = useText('file-links');
  const locale = useLocale();
  const me = useMe();
  const { unfinished } = useTransfers('links');
  const left = unfinished.links ?? [];
  const { uploads, stored, setStored, fileCount } = form;
  const add = (picked: Picked[]) => void transfers().add('links', picked, limitsForLinks(me));
  return (
    <div className={classes.part}>
      {left.length === 0 ? null : (
        <Notice
          action={
            <div className={classes.buttons}>
              <Button
                size="small"
                onClick={() => {
                  if (transfers().takeUp('links')) chooseFiles(false, add);
                }}
              >
                {text('continue')}
              </Button>
              <Button size="small" variant="quiet" onClick={() => transfers().discard('links')}>
                {text('discard')}
              </Button>
            </div>
          }
        >
          {text('unfinished', { n: left.length })}
        </Notice>
      )}
      <DropZone id={zoneId} onFiles={add} allowsFolders={false} help={text('filesHelp')} />
      <EarlierFiles chosen={stored} onChange={setStored} />
      {uploads.length + stored.length === 0 ? null : (
        <FileList label={text('addedFiles')}>
          {stored.map((file) => (
            <FileRow
              key={file.id}
              name={file.filename}
              state={text('earlierChosen', { size: sizeIn(locale, file.size) })}
              actions={
                <Button
                  size="small"
                  variant="quiet"
                  aria-label={text('removeName', { file: visibleText(file.filename) })}
                  onClick={() => setStored(stored.filter(({ id }) => id !== file.id))}
                >
                  {text('remove')}
                </Button>
              }
            />
          ))}
          {uploads.map((file) => (
            <TransferRow key={file.id} file={file} />
          ))}
        </FileList>
      )}
      {fileCount > 1 ? <p className={classes.note}>{text('each')}</p> : null}
    </div>
  );
}

function Settings({ form: { settings, set } }: { form: NewLinkForm }) {
  const text = useText('file-links');
  const { policy, today } = useMe();
  const { filelink_max_expiration: maxDays } = policy;
  return (
    <div className={classes.part}>
      {policy.filelink_can_change_expiration ? (
        <DateField
          label={text('until')}
          value={settings.until}
          onChange={(until) => {
            if (until !== null) set({ until });
          }}
          today={today}
          max={addDays(today, maxDays)}
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
          checked={settings.isTold}
          onChange={(isTold) => set({ isTold })}
        />
      ) : null}
      <GroupRules />
    </div>
  );
}

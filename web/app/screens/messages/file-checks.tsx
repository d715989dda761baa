// Files that wait for the virus scanner or are held, for their sender.
import type { SentMessageBody } from '#contract/app/messages.ts';
import { visibleText } from '../../../visible.ts';
import { type TextKey, useText } from '../../texts.ts';
import { Stack } from '../../ui/layout.tsx';
import { Progress } from '../../ui/progress.tsx';
import { Notice } from '../../ui/states.tsx';

type File = SentMessageBody['files'][number];
type Check = NonNullable<File['check']>;

/** The interval of reads while a file is being checked. */
export const everyMsWhileChecking = 3_000;

export function isAnyChecked({ files }: Pick<SentMessageBody, 'files'>): boolean {
  return files.some(({ check }) => check?.state === 'waiting');
}

const rules: Partial<Record<Check['reason'], TextKey<'file-checks'>>> = {
  type_mismatch: 'held_type_mismatch',
  encrypted_archive: 'held_encrypted_archive',
  macros: 'held_macros',
  archive_depth: 'held_archive_depth',
};

export function useHeldReason(): (check: Check) => string {
  const text = useText('file-checks');
  return ({ verdict, reason, signature }) => {
    if (verdict === 'infected')
      return signature === '' ? text('heldInfectedPlain') : text('heldInfected', { signature: visibleText(signature) });
    return text(rules[reason] ?? 'heldUnscannable');
  };
}

export function FileChecks({ message: { files, is_open: isOpen } }: { message: SentMessageBody }) {
  const text = useText('file-checks');
  const reasonOf = useHeldReason();
  if (!isOpen) return null;
  const waiting = files.filter(({ check }) => check?.state === 'waiting');
  const held = files.filter(({ check }) => check?.state === 'held');
  return (
    <>
      {waiting.length === 0 ? null : (
        <Notice title={text('checkingTitle', { n: waiting.length })}>
          <Stack gap={8}>
            <p>{text('checkingText')}</p>
            {waiting.map((file) => (
              <OneProgress key={file.id} file={file} />
            ))}
          </Stack>
        </Notice>
      )}
      {held.length === 0 ? null : (
        <Notice tone="warning" title={text('heldTitle', { n: held.length })}>
          {held.map(({ id, filename, check }) => (
            <p key={id}>{text('heldText', { file: visibleText(filename), reason: reasonOf(check!) })}</p>
          ))}
        </Notice>
      )}
    </>
  );
}

function OneProgress({ file: { filename, check } }: { file: File }) {
  const text = useText('file-checks');
  const percent = check?.percent ?? null;
  const name = visibleText(filename);
  if (percent === null) return null;
  return (
    <Progress
      share={percent / 100}
      label={text('checkingFile', { file: name })}
      text={text('checkingPercent', { file: name, n: percent })}
    />
  );
}

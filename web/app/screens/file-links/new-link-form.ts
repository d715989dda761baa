// One link per file. A submit during uploads waits for them.
import { useCallback, useEffect, useRef, useState } from 'react';
import type { CallInput } from '#contract/client.ts';
import { useApi } from '../../api.ts';
import { createOnce, useCreateEach } from '../../create-once.ts';
import { addDays } from '../../dates.ts';
import { type Me, useMe } from '../../me.ts';
import { useSearchParams } from '../../search-params.ts';
import { useText } from '../../texts.ts';
import type { EarlierFile } from '../../transfers/earlier-files.tsx';
import type { TransferFile } from '../../transfers/engine.ts';
import { handedFiles, handFiles } from '../../transfers/handed-files.ts';
import { isRunning } from '../../transfers/running.ts';
import { transfers, useTransfers } from '../../transfers/transfers.ts';
import { announce } from '../../ui/announcer.tsx';
import { invalidFieldsIn, type Mistake } from '../../ui/error-summary.tsx';

export interface CreatedLink {
  id: string;
  filename: string;
  url: string;
}

export interface LinkSettings {
  until: string;
  password: string;
  isConfirming: boolean;
  notifiesOwner: boolean;
}

export interface NewLinkForm {
  settings: LinkSettings;
  set(change: Partial<LinkSettings>): void;
  uploads: TransferFile[];
  earlier: EarlierFile[];
  setEarlier(files: EarlierFile[]): void;
  fileCount: number;
  isWaiting: boolean;
  stopWaiting(): void;
  isBusy: boolean;
  error: unknown;
  mistake: 'none' | 'failed' | null;
  invalid: readonly Mistake[];
  created: CreatedLink[];
  isDone: boolean;
  wasCopied: boolean;
  hasInput: boolean;
  submit(): void;
  startOver(): void;
}

function firstSettings({ policy, today, can_send_mail: canMail }: Me): LinkSettings {
  return {
    until: addDays(today, policy.filelink_default_expiration),
    password: '',
    // Without mail no code arrives.
    isConfirming: canMail && policy.filelink_default_require_authentication,
    notifiesOwner: policy.filelink_default_download_confirmation,
  };
}

export function useNewLink(): NewLinkForm {
  const me = useMe();
  const { files: uploads } = useTransfers('links');
  const [settings, setSettings] = useState(() => firstSettings(me));
  const [earlier, setEarlier] = useEarlierFiles();
  const [isWaiting, setWaiting] = useState(false);
  const [mistake, setMistake] = useState<NewLinkForm['mistake']>(null);
  const [invalid, setInvalid] = useState<readonly Mistake[]>([]);
  const creation = useCreation(me);
  const { create: createAll } = creation;
  const accepted = uploads.filter(({ state }) => state !== 'not-allowed');

  const create = useCallback(() => {
    setWaiting(false);
    if (uploads.some(({ state }) => state === 'failed')) return setMistake('failed');
    const ready = uploads.flatMap(({ id, attachmentId, source }) =>
      attachmentId === null ? [] : [{ id: attachmentId, name: source.name, sizeBytes: source.sizeBytes, uploadId: id }],
    );
    void createAll([...earlier, ...ready], settings, (id) => setEarlier(earlier.filter((file) => file.id !== id)));
  }, [uploads, earlier, settings, createAll, setEarlier]);

  useEffect(() => {
    if (isWaiting && !uploads.some(isRunning)) create();
  }, [isWaiting, uploads, create]);

  const text = useText('file-links');
  return {
    settings,
    set: (change) => setSettings((now) => ({ ...now, ...change })),
    uploads,
    earlier,
    setEarlier,
    fileCount: accepted.length + earlier.length,
    isWaiting,
    stopWaiting: () => setWaiting(false),
    mistake,
    invalid,
    ...creation,
    hasInput: !creation.isDone && (accepted.length + earlier.length > 0 || settings.password !== ''),
    submit() {
      const found = invalidFieldsIn(document);
      setMistake(null);
      setInvalid(found);
      if (accepted.length + earlier.length === 0) return setMistake('none');
      if (found.length > 0) return;
      if (!uploads.some(isRunning)) return create();
      setWaiting(true);
      announce(text('waitingSaid'));
    },
    startOver() {
      if (creation.isDone) transfers().clear('links');
      creation.startOver();
      setSettings(firstSettings(me));
      setEarlier([]);
      setMistake(null);
      setInvalid([]);
      setWaiting(false);
    },
  };
}

/** Initially those of another screen, or the file of an expired link named in the URL (`again`). */
function useEarlierFiles(): [EarlierFile[], (files: EarlierFile[]) => void] {
  const { params } = useSearchParams();
  const [files, setFiles] = useState(handedFiles);
  useEffect(() => handFiles([]), []);
  const again = useApi('getAppLink', { params: { id: params.again ?? '' } }, { isEnabled: params.again !== undefined });
  const link = params.again === undefined ? undefined : again.data?.link;
  const accepted = useRef('');
  useEffect(() => {
    if (link === undefined || accepted.current === link.id) return;
    accepted.current = link.id;
    setFiles([{ id: link.attachment_id, name: link.filename, sizeBytes: link.size }]);
  }, [link]);
  return [files, setFiles];
}

type Source = EarlierFile & { uploadId?: string };

const topics = ['links', 'messages'] as const;

function useCreation(me: Me) {
  const text = useText('file-links');
  const { created, isBusy, error, createEach, forget } = useCreateEach<CreatedLink>(topics);
  const [isDone, setDone] = useState(false);
  const [wasCopied, setCopied] = useState(false);

  const create = useCallback(
    async (files: Source[], settings: LinkSettings, onEarlierUsed: (id: string) => void) => {
      const all = await createEach(files, async (file: Source) => {
        const { link } = await createOnce(me.id, 'createFileLink', { body: { link: linkBody(file, settings, me) } });
        if (file.uploadId === undefined) onEarlierUsed(file.id);
        else transfers().remove(file.uploadId);
        return { id: link.id, filename: link.filename, url: link.url };
      });
      if (all === null) return;
      const isCopied = await copyQuietly(all.map(({ url }) => url).join('\n'));
      setCopied(isCopied);
      announce(text(isCopied ? 'createdCopied' : 'created', { n: all.length }));
      setDone(true);
    },
    [me, createEach, text],
  );
  const startOver = () => {
    forget();
    setDone(false);
    setCopied(false);
  };
  return { created, isBusy, isDone, wasCopied, error, create, startOver };
}

/** Omits settings the user may not change, so that the group's apply. */
function linkBody(file: Source, settings: LinkSettings, { policy }: Me): CallInput<'createFileLink'>['body']['link'] {
  return {
    attachment: file.id,
    ...(policy.filelink_can_change_expiration ? { expires_at: settings.until } : {}),
    ...(settings.password === '' ? {} : { password: settings.password }),
    ...(policy.filelink_can_change_require_authentication ? { require_authentication: settings.isConfirming } : {}),
    ...(policy.filelink_can_change_download_confirmation ? { send_download_confirmation: settings.notifiesOwner } : {}),
  };
}

/** Browsers permit it only shortly after a click. */
async function copyQuietly(value: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(value);
    return true;
  } catch {
    return false;
  }
}

// What a recipient received of a message, for reports of a wrong recipient.
import { listEventsOf } from '../../db/events/events.ts';
import { accessListOf, admit } from '../../domain/audience.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { readRecipient } from '../../domain/messages.ts';
import { notFound } from '../../domain/problem.ts';
import type { TrackedDownload } from '../../domain/tracking.ts';
import { hasTrait } from '../../mail/kinds/all.ts';
import type { Ctx } from '../context.ts';
import { type Tracker, trackMessage } from './tracker.ts';

export interface Exposure {
  address: string;
  at: number;
  mails: { kind: 'message' | 'reminder'; acceptedAt: number; serverWords: string }[];
  isMailOnItsWay: boolean;
  isTextInMail: boolean;
  areNamesInMail: boolean;
  openedAt: number | null;
  readAt: number | null;
  files: {
    attachmentId: string;
    fileName: string;
    sizeBytes: number;
    isWhole: boolean;
    bytes: number;
    downloads: TrackedDownload[];
  }[];
  isOpenToOthers: boolean;
}

export async function getExposure(ctx: Ctx, caller: UserCaller, id: string, address: string): Promise<Exposure> {
  return exposureOf(await trackMessage(ctx, caller, id), readRecipient(address, 'address'), ctx.clock.now());
}

const maxDownloadsPerFile = 20;

export function exposureOf(tracker: Tracker, address: string, now: number): Exposure {
  const person = tracker.people.find((candidate) => candidate.address === address);
  if (person === undefined) throw notFound('recipient', 'This message was not sent to that address.');
  const mails = tracker.mails.filter((mail) => mail.recipient === address);
  const accepted = mails.filter((mail) => mail.state === 'sent');
  return {
    address,
    at: now,
    mails: accepted.map((mail) => ({
      kind: mail.kind === 'reminder' ? 'reminder' : 'message',
      acceptedAt: mail.finishedAt ?? mail.createdAt,
      serverWords: mail.serverText,
    })),
    isMailOnItsWay: mails.some((mail) => mail.state === 'sending'),
    isTextInMail: accepted.some((mail) => hasTrait(mail.kind, 'carriesText')) && tracker.message.body !== '',
    areNamesInMail: !tracker.message.isPrivate && accepted.length > 0,
    openedAt: person.openedAt,
    readAt: person.readAt,
    files: allFiles(tracker).map((file) => {
      const downloads = allFiles(person).find((own) => own.attachmentId === file.id)?.downloads ?? [];
      return {
        attachmentId: file.id,
        fileName: file.fileName,
        sizeBytes: file.sizeBytes,
        isWhole: downloads.some((download) => download.isWhole),
        bytes: Math.max(0, ...downloads.map((download) => download.bytes)),
        downloads: downloads.slice(0, maxDownloadsPerFile),
      };
    }),
    isOpenToOthers: admitsStrangers(tracker),
  };
}

/** Removed files may have been downloaded before. */
function allFiles<Held, Removed>(of: { files: Held[]; removedFiles: Removed[] }): (Held | Removed)[] {
  return [...of.files, ...of.removedFiles];
}

/** Then a removed recipient can return with another address, or none. */
function admitsStrangers({ message, people }: Tracker): boolean {
  const stranger = { provenAddresses: ['stranger@invalid'], account: null };
  const recipients = people.map((person) => ({ address: person.address, state: 'active' }));
  return admit(accessListOf(message.audience, recipients), stranger).verdict === 'allow';
}

export const wrongRecipientAction = 'message.wrong_recipient';

/** Events must not contain file names, which are stored encrypted (docs/adr/0007). */
export function exposureFacts(exposure: Exposure): Record<string, unknown> {
  return {
    ...exposure,
    files: exposure.files.map(({ fileName: _, ...file }) => file),
  };
}

/** Newest first. */
export async function listExposures(ctx: Ctx, tracker: Tracker): Promise<Exposure[]> {
  const events = await listEventsOf(ctx.db.read, { kind: 'message', id: tracker.message.id }, [wrongRecipientAction], {
    size: 50,
  });
  const names = new Map(allFiles(tracker).map((file) => [file.id, file.fileName]));
  return events.map((event) => {
    const recorded = event.facts as unknown as Exposure;
    return {
      ...recorded,
      files: recorded.files.map((file) => ({ ...file, fileName: names.get(file.attachmentId) ?? '' })),
    };
  });
}

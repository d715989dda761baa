// Downloads of links, and of messages by their address, without an API key.
import type { Remote } from './downloading.ts';
import { exitCodes, Failure } from './failures.ts';
import { type Door, type DoorAnswer, jsonOf, openDoor, type Proofs, refusalOf, remoteOf } from './proofs.ts';
import type { Session } from './session.ts';

/** A file whose ticket is requested right before its download. */
export interface GuardedFile {
  name: string;
  sha256: string | null;
  open(): Promise<Remote>;
}

export async function openLink(session: Session, url: URL, given: Proofs): Promise<Remote> {
  const proofs: Proofs = { ...given };
  return openTicket(session, { url, path: '/download', holder: 'link' }, proofs);
}

/** Files that can be downloaded, and the names of those that cannot. */
export async function openMessage(
  session: Session,
  url: URL,
  given: Proofs,
): Promise<{ files: GuardedFile[]; missing: string[] }> {
  const proofs: Proofs = { ...given };
  const door: Door = { url, path: '/files', holder: 'message' };
  const listed = filesIn(await openDoor(session, door, proofs));
  const files = listed.filter(({ state }) => state === 'ready');
  return {
    missing: listed.filter((file) => !files.includes(file)).map(({ filename }) => filename),
    files: files.map(({ id, filename, checksum }) => ({
      name: filename,
      sha256: checksum === '' ? null : checksum,
      open: async () => {
        const path = `/download/${encodeURIComponent(id)}` as const;
        const remote = await openTicket(session, { ...door, path }, proofs);
        return { ...remote, sha256: checksum === '' ? null : checksum };
      },
    })),
  };
}

async function openTicket(session: Session, door: Door, proofs: Proofs): Promise<Remote> {
  const answer = await openDoor(session, door, proofs);
  if (answer.status !== 303 || answer.headers.location === undefined) throw refusalOf(answer, door);
  return remoteOf(answer, door, () => openTicket(session, door, proofs));
}

interface ListedFile {
  id: string;
  filename: string;
  checksum: string;
  state: string;
}

function filesIn({ status, text }: DoorAnswer): ListedFile[] {
  const files = status === 200 ? jsonOf(text)?.files : null;
  const isFile = (file: Partial<Record<keyof ListedFile, unknown>> | null): file is ListedFile =>
    [file?.id, file?.filename, file?.checksum, file?.state].every((value) => typeof value === 'string');
  if (Array.isArray(files) && files.every(isFile)) return files;
  throw new Failure(exitCodes.network, 'what answered is not a Waybill server of this version', {
    code: 'network.not_waybill',
    hint: 'Check the address, or open it in a browser.',
  });
}

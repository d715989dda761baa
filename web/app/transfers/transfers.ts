// Uploads survive navigation, reloads and the end of the session.
import { useSyncExternalStore } from 'react';
import type { FileStatus } from '../../../transfer/states.ts';
import { totalsOf } from '../../../transfer/states.ts';
import type { Me } from '../me.ts';
import type { Batch } from './engine.ts';
import { createTransferStore, type TransferState, type TransferStore } from './store.ts';

let opened: TransferStore | null = null;

/** Called once by main.tsx, before the first screen. */
export function openTransfers(me: Me): void {
  opened = createTransferStore(me);
}

export function transfers(): TransferStore {
  if (opened === null) throw new Error('the transfers are not open yet');
  return opened;
}

export function useTransfers(batch?: Batch): TransferState {
  const state = useSyncExternalStore(transfers().listen, transfers().read);
  return batch === undefined ? state : { ...state, files: state.files.filter((file) => file.batch === batch) };
}

export function percentOf(files: readonly FileStatus[]): string {
  const { sentBytes, totalBytes } = totalsOf(files);
  return transfers().texts.percent(sentBytes, totalBytes);
}

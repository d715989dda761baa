// Several pieces of one file at the same time.
import type { Journey } from './journey.ts';
import type { FileSource } from './ports.ts';
import { type End, endOf, postPiece, readPiece, type Trip, unreadable } from './trip.ts';

/**
 * Several pieces at once: all but the last, whose answer is the file and which is therefore sent when nothing else is
 * missing. Read in order, because the checksum is; `nextPiece` moves over those before which none is missing. Null: go
 * on with the last.
 */
export async function sendSideBySide(trip: Trip, journey: Journey): Promise<End | null> {
  const stopping = new AbortController();
  const signal = AbortSignal.any([trip.signal, stopping.signal]);
  const inner = { ...trip, signal };
  const running = new Set<Promise<void>>();
  const [sent, checksums] = [new Map<number, number>(), new Map<number, number>()];
  const ended: { end: End | null; error: unknown } = { end: null, error: null };
  const last = journey.pieceCount - 1;
  let [next, crc] = [journey.nextPiece, journey.crc];
  const report = () => trip.progress.onBytes(bytesBefore(journey, trip.source) + sumOf(sent));
  const arrive = (number: number) => {
    journey.arrived.add(number);
    advance(journey, checksums, sent);
    report();
    trip.progress.onJourney(journey);
  };
  const send = async (number: number, bytes: Uint8Array<ArrayBuffer>) => {
    sent.set(number, 0);
    const answer = await postPiece(inner, journey, { number, bytes }, (count) => {
      sent.set(number, count);
      report();
    });
    if (answer.verdict.is === 'taken') {
      trip.width.note(bytes.length, trip.ports.clock.now());
      trip.source.release?.(bytes);
      return arrive(number);
    }
    ended.end ??= endOf(answer, true);
    stopping.abort();
  };
  while (next < last && !stopping.signal.aborted) {
    while (running.size >= trip.width.now()) await Promise.race(running);
    if (stopping.signal.aborted) break;
    // Not `inner`: while it is read, another piece may be refused, and then that is how the file ends.
    const bytes = await readPiece(trip, journey, next);
    if (stopping.signal.aborted) break;
    if (bytes === null) {
      ended.end ??= unreadable;
      stopping.abort();
      break;
    }
    crc = trip.ports.crc32(crc, bytes);
    checksums.set(next, crc);
    if (journey.arrived.has(next)) arrive(next);
    else {
      const one = send(next, bytes)
        .catch((error: unknown) => {
          ended.error ??= error;
          stopping.abort();
        })
        .finally(() => running.delete(one));
      running.add(one);
    }
    next += 1;
  }
  await Promise.all(running);
  if (ended.end !== null) return ended.end;
  if (ended.error !== null) throw ended.error;
  return null;
}

/** Over the pieces whose checksum is known and before which none is missing. */
function advance(journey: Journey, checksums: Map<number, number>, sent: Map<number, number>): void {
  for (;;) {
    const crc = checksums.get(journey.nextPiece);
    if (crc === undefined || !journey.arrived.has(journey.nextPiece)) return;
    checksums.delete(journey.nextPiece);
    sent.delete(journey.nextPiece);
    journey.crc = crc;
    journey.nextPiece += 1;
  }
}

function bytesBefore(journey: Journey, source: FileSource): number {
  return Math.min(source.sizeBytes, journey.nextPiece * journey.pieceBytes);
}

function sumOf(counts: Map<number, number>): number {
  let sum = 0;
  for (const count of counts.values()) sum += count;
  return sum;
}

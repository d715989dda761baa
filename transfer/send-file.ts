// The way of one file: its pieces in order, the comparison at the end, and starting over where that helps. Ends with an
// outcome, or by being interrupted with the journey kept.
import { crc32Text } from './crc32.ts';
import { type Answer, Interrupted } from './exchange.ts';
import { beginJourney, confirmJourney, type Journey, pieceRange } from './journey.ts';
import type { FileSource } from './ports.ts';
import { sendSideBySide } from './side-by-side.ts';
import { carryPiece, isStreamed, pieceBytesFor } from './streamed.ts';
import { ask, type End, endOf, type Outcome, smallestPieceBytes, type Trip, unreadable } from './trip.ts';
import { sendWhole } from './whole.ts';
import { pieceUrl, readPieceAnswer, readReceived, refusalOf, stateUrlOf, type WireAttachment } from './wire.ts';

/** Lost uploads and differing files are tried so often in all. */
const maxStartOvers = 3;

/** Throws `Interrupted`; the journey of the last `onJourney` is then where to resume. */
export async function sendFile(trip: Trip, resumed: Journey | null): Promise<Outcome> {
  let journey = resumed ?? beginJourney(trip.source.sizeBytes, trip.pieceSize.bytes);
  if (resumed === null && journey.pieceCount > 1) {
    const { end, bytesPerSecond } = await travelWhole(trip);
    if (end !== null) return end;
    journey = beginJourney(trip.source.sizeBytes, pieceBytesFor(trip, bytesPerSecond));
  }
  let differences = 0;
  for (let startOvers = 0; ; ) {
    trip.progress.onJourney(journey);
    const end = await travel(trip, journey);
    if (end.is === 'differs') {
      differences += 1;
      if (differences > 1) return { is: 'failed', sentence: null, reason: 'differs' };
    } else if (end.is === 'lost') {
      startOvers += 1;
      if (startOvers > maxStartOvers) return { ...end, is: 'failed', reason: 'refused' };
    } else if (end.is === 'incomplete') {
      startOvers += 1;
      if (startOvers > maxStartOvers) return { is: 'failed', sentence: null, reason: 'refused' };
      journey = { ...journey, nextPiece: 0, crc: 0, isUnconfirmed: true };
      continue;
    } else if (end.is === 'too-large') {
      if (!shrink(trip, journey)) return { ...end, is: 'not-allowed', reason: 'refused' };
    } else {
      return end;
    }
    journey = beginJourney(trip.source.sizeBytes, trip.pieceSize.bytes);
    trip.progress.onBytes(0);
  }
}

interface WholeTravel {
  /** Null: in pieces. */
  end: Outcome | null;
  /** As far as it came; 0 when that is not known. */
  bytesPerSecond: number;
}

/** In one request. */
async function travelWhole(trip: Trip): Promise<WholeTravel> {
  const { source, route, ports, progress, signal } = trip;
  if (!ports.mayGoWhole || source.stream === undefined) return { end: null, bytesPerSecond: 0 };
  progress.onState('sending');
  let crc = 0;
  async function* portions() {
    for await (const bytes of source.stream?.(0, source.sizeBytes) ?? []) {
      crc = ports.crc32(crc, bytes);
      yield bytes;
    }
  }
  const { answer, bytesPerSecond } = await sendWhole(ports, {
    method: 'POST',
    url: pieceUrl(route.uploadUrl, source.name, null, null),
    headers: { ...route.headers, 'content-type': source.contentType || 'application/octet-stream' },
    body: { sizeBytes: source.sizeBytes, portions: portions() },
    signal,
    onProgress: (sentBytes) => progress.onBytes(Math.min(sentBytes, source.sizeBytes)),
  });
  if (signal.aborted) throw new Interrupted();
  const end = answer === null ? null : endOfWhole(answer, crc, source);
  if (end === null) progress.onBytes(0);
  return { end, bytesPerSecond };
}

function endOfWhole(answer: Answer, crc: number, source: FileSource): Outcome | null {
  if (answer.verdict.is === 'taken') {
    const attachment = readPieceAnswer(answer.response)?.attachment;
    return attachment && isRight(attachment, { crc }, source) ? { is: 'ready', attachmentId: attachment.id } : null;
  }
  const end = endOf(answer, false);
  return end.is === 'halted' || end.is === 'failed' || end.is === 'not-allowed' ? end : null;
}

async function travel(trip: Trip, journey: Journey): Promise<End> {
  trip.progress.onState('checking');
  if (journey.isUnconfirmed) {
    const end = await confirm(trip, journey);
    if (end !== null) return end;
  }
  trip.progress.onState('sending');
  let attachment: WireAttachment | null = null;
  while (journey.nextPiece < journey.pieceCount) {
    const isWide = trip.width.now() > 1 && !isStreamed(trip, journey);
    if (isWide && journey.uploadId !== null && journey.nextPiece < journey.pieceCount - 2) {
      const end = await sendSideBySide(trip, journey);
      if (end !== null) return end;
    }
    const step = await sendPiece(trip, journey, attachment !== null);
    if (step.is !== 'sent') return step;
    attachment = step.attachment ?? attachment;
  }
  // The server waits for a piece it no longer has: it is asked which.
  if (attachment === null) return { is: 'incomplete' };
  trip.progress.onState('finishing');
  return isRight(attachment, journey, trip.source) ? { is: 'ready', attachmentId: attachment.id } : { is: 'differs' };
}

/** Asks which pieces have arrived. Null: continue. */
async function confirm(trip: Trip, journey: Journey): Promise<End | null> {
  const url = stateUrlOf(trip.route.stateUrl, journey.uploadId ?? '');
  const answer = await ask(trip, { method: 'GET', url, headers: trip.route.headers, body: null }, () => {});
  if (answer.verdict.is !== 'taken') {
    const end = endOf(answer, true);
    if (end.is !== 'not-allowed') return end;
    return { is: 'lost', sentence: end.sentence, refusal: refusalOf(answer.response) };
  }
  confirmJourney(journey, readReceived(answer.response) ?? []);
  trip.progress.onJourney(journey);
  return null;
}

/** Reads one piece and sends it unless the server has it; the last is always sent, for its answer. */
async function sendPiece(
  trip: Trip,
  journey: Journey,
  isComplete: boolean,
): Promise<End | { is: 'sent'; attachment: WireAttachment | null }> {
  const { progress } = trip;
  const number = journey.nextPiece;
  const { start, end } = pieceRange(journey, number, trip.source.sizeBytes);
  const isLast = number === journey.pieceCount - 1;
  const carried = await carryPiece(trip, journey, {
    number,
    isSent: !isComplete && (isLast || !journey.arrived.has(number)),
    onBytes(sent) {
      progress.onBytes(start + sent);
      if (isLast && sent >= end - start) progress.onState('finishing');
    },
  });
  if (carried === null) return unreadable;
  const { answer, crc } = carried;
  if (answer !== null && answer.verdict.is !== 'taken') return endOf(answer, journey.uploadId !== null);
  const told = answer === null ? null : readPieceAnswer(answer.response);
  journey.uploadId ??= told?.uploadId ?? null;
  journey.crc = crc;
  journey.nextPiece = number + 1;
  progress.onBytes(end);
  progress.onJourney(journey);
  return { is: 'sent', attachment: told?.attachment ?? null };
}

/** Half the size from now on, for all files. False when that cannot help. */
function shrink({ pieceSize, source }: Trip, journey: Journey): boolean {
  const sent = Math.min(journey.pieceBytes, source.sizeBytes);
  // It was a streamed one, or another file has found out already while this piece was on its way.
  if (beginJourney(source.sizeBytes, pieceSize.bytes).pieceBytes < sent) {
    pieceSize.isReduced = true;
    return true;
  }
  const half = Math.floor(sent / 2);
  if (half < smallestPieceBytes || beginJourney(source.sizeBytes, half).pieceBytes >= sent) return false;
  pieceSize.bytes = Math.min(pieceSize.bytes, half);
  pieceSize.isReduced = true;
  return true;
}

/** Compared where the server could tell; it leaves the checksum empty while it is still computing. */
function isRight(attachment: WireAttachment, { crc }: { crc: number }, source: FileSource): boolean {
  if (!Number.isNaN(attachment.size) && attachment.size !== source.sizeBytes) return false;
  return attachment.crc32 === '' || attachment.crc32.toLowerCase() === crc32Text(crc);
}

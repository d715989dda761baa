// Pieces that are too large to be held in memory: read from the file while they are sent, one after the other.
import { type Answer, Interrupted } from './exchange.ts';
import { type Journey, pieceRange } from './journey.ts';
import type { Send } from './ports.ts';
import { postPiece, readPiece, type Trip } from './trip.ts';

/** A streamed piece may take as long as a file in one request: so much may be lost when it is interrupted. */
const mostSecondsOfPiece = 10;

/** A quarter of a streamed piece is the most that is held in memory where the platform can stream. */
export function isStreamed(trip: Trip, { pieceBytes }: Journey): boolean {
  return canStream(trip) && pieceBytes > trip.ports.streamedPieceBytes / 4;
}

/** Over a line of this speed large pieces cost less than small ones, and are as soon sent again. */
export function pieceBytesFor(trip: Trip, bytesPerSecond: number): number {
  const { pieceSize, ports } = trip;
  const isFast = bytesPerSecond * mostSecondsOfPiece >= ports.streamedPieceBytes;
  const isLarge = isFast && canStream(trip) && !pieceSize.isReduced;
  return isLarge ? Math.max(pieceSize.bytes, ports.streamedPieceBytes) : pieceSize.bytes;
}

function canStream({ ports, source }: Trip): boolean {
  return ports.stream !== undefined && source.stream !== undefined;
}

export interface Carried {
  /** Null: it was not to be sent. */
  answer: Answer | null;
  /** Of everything up to the end of this piece. */
  crc: number;
}

interface Wanted {
  number: number;
  /** False: the server has it, and only its checksum is missing. */
  isSent: boolean;
  onBytes(sentBytes: number): void;
}

/** Null when the file can no longer be read as it was. */
export function carryPiece(trip: Trip, journey: Journey, wanted: Wanted): Promise<Carried | null> {
  return isStreamed(trip, journey) ? carryStreamed(trip, journey, wanted) : carryInMemory(trip, journey, wanted);
}

async function carryInMemory(
  trip: Trip,
  journey: Journey,
  { number, isSent, onBytes }: Wanted,
): Promise<Carried | null> {
  const bytes = await readPiece(trip, journey, number);
  if (bytes === null) return null;
  const answer = isSent ? await postPiece(trip, journey, { number, bytes }, onBytes) : null;
  const crc = trip.ports.crc32(journey.crc, bytes);
  trip.source.release?.(bytes);
  return { answer, crc };
}

/** One reading of a piece; each attempt to send it is another. */
interface Reading {
  crc: number;
  missingBytes: number;
}

async function carryStreamed(
  trip: Trip,
  journey: Journey,
  { number, isSent, onBytes }: Wanted,
): Promise<Carried | null> {
  const { start, end } = pieceRange(journey, number, trip.source.sizeBytes);
  const failing = new AbortController();
  let reading: Reading = { crc: journey.crc, missingBytes: end - start };
  async function* portions() {
    const mine = { crc: journey.crc, missingBytes: end - start };
    reading = mine;
    try {
      for await (const bytes of trip.source.stream?.(start, end) ?? []) {
        mine.crc = trip.ports.crc32(mine.crc, bytes);
        mine.missingBytes -= bytes.length;
        yield bytes;
      }
      if (mine.missingBytes !== 0) throw new Error('the file has changed');
    } catch (error) {
      // Another attempt would meet the same.
      failing.abort();
      throw error;
    }
  }
  const send: Send = (request) =>
    trip.ports.stream!({ ...request, body: { sizeBytes: end - start, portions: portions() } });
  const signal = AbortSignal.any([trip.signal, failing.signal]);
  const inner = { ...trip, signal, ports: { ...trip.ports, send } };
  try {
    const answer = isSent ? await postPiece(inner, journey, { number, bytes: null }, onBytes) : null;
    // A server that has the piece already may answer before it has seen all of it.
    const isKept = answer === null || answer.verdict.is === 'taken';
    if (isKept && reading.missingBytes > 0) for await (const _ of portions());
    return { answer, crc: reading.crc };
  } catch (error) {
    if (trip.signal.aborted) throw new Interrupted();
    if (failing.signal.aborted) return null;
    throw error;
  }
}

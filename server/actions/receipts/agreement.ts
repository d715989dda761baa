// Refuses documents about downloads that contradict the recorded events. The first refusal is recorded.
import { listEventsAbout } from '../../db/receipts/receipt-facts.ts';
import type { Caller } from '../../domain/caller.ts';
import { Problem } from '../../domain/problem.ts';
import { maxListedEvents } from '../../domain/receipts.ts';
import type { Span } from '../../domain/spans.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import {
  type Contradiction,
  findContradictionOf,
  findContradictionOfLines,
  findContradictionWithin,
  findErasureContradiction,
} from '../evidence/compare-downloads.ts';

type ObjectKind = 'message' | 'link' | 'request' | 'attachment';

interface ListedLine {
  ownerId: string;
  number: number;
}

/** For a receipt: all events of the transfer, the listed lines, and the deletion of its files. */
export async function requireAgreement(
  ctx: Ctx,
  caller: Caller,
  receipt: {
    target: { kind: ObjectKind; id: string };
    ownerId: string;
    lines: readonly ListedLine[];
    fileIds: readonly string[];
  },
): Promise<void> {
  const { target, ownerId, lines, fileIds } = receipt;
  const db = ctx.db.read;
  const found =
    (await findErasureContradiction(db, fileIds)) ??
    (await findContradictionOf(
      db,
      target,
      lines.map(({ number }) => number),
    ));
  if (found !== null) throw await refuse(ctx, caller, { ...found, ownerId: found.ownerId || ownerId });
}

/** Whose downloads a statement is about. */
export type StatementScope =
  | { ownerId: string; addresses: readonly string[] }
  | { addresses: readonly string[] }
  | { apiKeyId: string }
  | { ip: string };

/** For a statement about exposure: the events about its subject, and the lines that it counts. */
export async function requireAgreementWithin(
  ctx: Ctx,
  caller: Caller,
  statement: {
    span: Span;
    scope: StatementScope;
    lines: readonly (ListedLine & { kind: ObjectKind; targetId: string })[];
  },
): Promise<void> {
  const { span, scope, lines } = statement;
  const db = ctx.db.read;
  const ofEvents = await findContradictionWithin(db, { from: span.from, to: span.to - 1 }, (event) => {
    if ('apiKeyId' in scope) return event.facts.api_key === scope.apiKeyId;
    if ('ip' in scope) return event.remoteIp === scope.ip;
    const isOwner = 'ownerId' in scope && event.ownerId === scope.ownerId;
    return isOwner || scope.addresses.includes(String(event.facts.recipient));
  });
  if (ofEvents !== null) throw await refuse(ctx, caller, ofEvents);
  for (const group of Map.groupBy(lines, ({ kind, targetId }) => `${kind} ${targetId}`).values()) {
    const { kind, targetId: id } = group[0]!;
    const numbers = [...new Set(group.map(({ number }) => number))];
    const found = await findContradictionOfLines(db, { kind, id }, numbers);
    if (found !== null) throw await refuse(ctx, caller, found);
  }
}

async function refuse(ctx: Ctx, caller: Caller, found: Contradiction): Promise<Problem> {
  const { target, ownerId, line, field } = found;
  const object = { kind: target.kind as ObjectKind, id: target.id };
  const facts = { line: line ?? 0, field };
  const before = await listEventsAbout(ctx.db.read, object.kind, [object.id], maxListedEvents);
  const isRecorded = before.some(
    (event) =>
      event.action === 'evidence.contradiction' && event.facts.line === facts.line && event.facts.field === field,
  );
  if (!isRecorded)
    await ctx.db.write((tx) => record(ctx, tx, caller, { action: 'evidence.contradiction', object, ownerId, facts }));
  return new Problem(
    'conflict',
    'receipt.contradiction',
    `Line ${facts.line} of the download log is not what was recorded (${field}), so nothing about it is signed. An operator runs waybill-server evidence verify.`,
  ).withValues({ line: facts.line, field });
}

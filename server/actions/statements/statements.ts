// Builds, signs and records statements, and decides who may read them.

import { createHash } from 'node:crypto';
import { findFileNames } from '../../db/attachments/attachments.ts';
import type { Tx } from '../../db/schema/schema.ts';
import { findStatement, listStatements } from '../../db/statements/statements.ts';
import { findUser } from '../../db/users/users.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { notFound } from '../../domain/problem.ts';
import { isAdministrator, isSystemAdministrator, mayManage, requireRight } from '../../domain/roles.ts';
import {
  maxListed,
  type NamedPerson,
  type Statement,
  type StatementDocument,
  type StatementKind,
} from '../../domain/statements.ts';
import { isoInstant } from '../../lib/dates.ts';
import type { Signer } from '../../lib/tlog/notes.ts';
import { recordView } from '../audit/views.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { openSigner, signDocument } from '../receipts/signing.ts';
import { withReferences } from '../transfers/references.ts';
import { findHiddenOwners } from '../transfers/transfers.ts';

export function namedPerson({ id, email, name }: NamedPerson): NamedPerson {
  return { id, email, name };
}

export function documentOf(
  ctx: Ctx,
  parts: {
    id: string;
    kind: StatementKind;
    maker: NamedPerson;
    about: Record<string, unknown>;
    findings: Record<string, unknown>;
  },
): StatementDocument {
  return {
    format: 'waybill-statement/1',
    id: parts.id,
    kind: parts.kind,
    organisation: ctx.settings.current().organisationName,
    service: ctx.settings.surroundings.baseUrl,
    made_at: isoInstant(ctx.clock.now()),
    made_by: namedPerson(parts.maker),
    about: parts.about,
    findings: parts.findings,
  };
}

export async function signStatement(
  ctx: Ctx,
  tx: Tx,
  caller: UserCaller,
  { document, signer }: { document: StatementDocument; signer: Signer },
): Promise<{ documentText: string; note: string }> {
  const documentText = JSON.stringify(await withReferences(ctx, document, tx));
  const sha256 = createHash('sha256').update(documentText).digest('hex');
  await record(ctx, tx, caller, {
    action: 'statement.made',
    object: { kind: 'statement', id: document.id },
    ownerId: '',
    facts: { kind: document.kind, sha256 },
  });
  const note = signDocument(signer, { label: 'statement', id: document.id, text: documentText });
  return { documentText, note };
}

/** Older statements contain ids. */
export async function withoutIds(ctx: Ctx, statement: Statement): Promise<Statement> {
  const document = JSON.parse(statement.documentText) as StatementDocument;
  const shown = await withReferences(ctx, document);
  if (shown === document) return statement;
  const documentText = JSON.stringify(shown);
  const signer = await openSigner(ctx);
  const note = signDocument(signer, { label: 'statement', id: document.id, text: documentText });
  return { ...statement, documentText, note };
}

export async function getStatement(ctx: Ctx, caller: UserCaller, id: string): Promise<Statement> {
  requireRight(caller, 'console.read');
  const statement = await findStatement(ctx.db.read, id);
  if (statement?.state !== 'made' || !(await maySee(ctx, caller, statement))) throw notFound('statement');
  await recordView(ctx, caller, { action: 'statement.viewed', object: { kind: 'statement', id }, ownerId: '' });
  return withoutIds(ctx, statement);
}

export interface StatementPage {
  statements: Statement[];
  next: { createdAt: number; id: string } | null;
}

/** A page may be short: statements the caller may not see are left out. */
export async function listAllStatements(
  ctx: Ctx,
  caller: UserCaller,
  page: { before: { createdAt: number; id: string } | null; size: number },
): Promise<StatementPage> {
  requireRight(caller, 'console.read');
  const found = await listStatements(ctx.db.read, { before: page.before, limit: page.size + 1 });
  const shown = found.slice(0, page.size);
  const statements: Statement[] = [];
  for (const statement of shown) if (await maySee(ctx, caller, statement)) statements.push(statement);
  const last = shown.at(-1);
  return {
    statements,
    next: found.length > page.size && last !== undefined ? { createdAt: last.createdAt, id: last.id } : null,
  };
}

/** Administrators see their own and those about people they manage, unless it lists transfers of others. */
async function maySee(ctx: Ctx, caller: UserCaller, statement: Statement): Promise<boolean> {
  if (!isAdministrator(caller) || isSystemAdministrator(caller)) return true;
  const isOwn = statement.madeBy === caller.userId;
  if (!isOwn) {
    const user = statement.aboutUserId === '' ? undefined : await findUser(ctx.db.read, statement.aboutUserId);
    if (user === undefined || !mayManage(caller, user)) return false;
  }
  if (statement.kind !== 'exposure') return true;
  const { findings } = JSON.parse(statement.documentText) as { findings: Record<'reachable' | 'left', Owned> };
  const lists = [findings.reachable.list, findings.left.list];
  // Omitted entries may belong to anyone.
  if (!isOwn && lists.some((list) => list.length >= maxListed)) return false;
  return (
    (
      await findHiddenOwners(
        ctx,
        caller,
        lists.flat().map(({ owner }) => owner),
      )
    ).size === 0
  );
}

interface Owned {
  list: { owner: string }[];
}

/** Names of files in a statement about exposure. Names are content, which only the owner of a file reads. */
export function findFileNamesFor(
  ctx: Ctx,
  caller: UserCaller,
  { kind, documentText }: Pick<Statement, 'kind' | 'documentText'>,
): Promise<Map<string, string>> {
  if (kind !== 'exposure') return Promise.resolve(new Map());
  const { findings } = JSON.parse(documentText) as { findings: { left: { list: { attachment: string }[] } } };
  const ids = [...new Set(findings.left.list.map(({ attachment }) => attachment))];
  return findFileNames(ctx.db.read, ids, caller.userId);
}

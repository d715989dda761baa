// Signed statements, for administrators and auditors. A document leaves exactly as it was signed.
import type { ExposureStatementBody, LeaveStatementBody, StatementHeadBody } from '#contract/admin/statements.ts';
import { stateExposure } from '../../../actions/statements/exposure.ts';
import { leave } from '../../../actions/statements/leave.ts';
import { getStatement, listAllStatements } from '../../../actions/statements/statements.ts';
import { invalid } from '../../../domain/problem.ts';
import type { Statement } from '../../../domain/statements.ts';
import { readCursor, writeCursor } from '../../../lib/cursor.ts';
import { isoInstant } from '../../../lib/dates.ts';
import type { Serve } from '../../endpoint.ts';
import { sendPdf, wantsPdf } from '../../pdf/sending.ts';
import { statementPaper } from '../../pdf/statements.ts';

const usualSize = 50;

export function serveStatements(serve: Serve): void {
  serve('leaveUser', async ({ ctx, caller, params, body }) => {
    const { hand_over_to: handOverTo, reason } = body.leave;
    return signedBody<LeaveStatementBody>(await leave(ctx, caller, params.id, { handOverTo, reason }));
  });

  serve('stateExposure', async ({ ctx, caller, body }) => {
    const { user, api_key: apiKey, address, ip, from, to } = body.exposure;
    return signedBody<ExposureStatementBody>(await stateExposure(ctx, caller, { user, apiKey, address, ip, from, to }));
  });

  serve('listStatements', async ({ ctx, caller, query }) => {
    const page = { before: placeOf(query.after), size: query.size ?? usualSize };
    const { statements, next } = await listAllStatements(ctx, caller, page);
    return {
      statements: statements.map(headBody),
      next: next === null ? null : writeCursor([next.createdAt, next.id]),
    };
  });

  serve('getStatement', async (call) => {
    const statement = await getStatement(call.ctx, call.caller, call.params.id);
    if (wantsPdf(call)) return sendPdf(call, statementPaper(statement));
    return signedBody<LeaveStatementBody | ExposureStatementBody>(statement);
  });
}

function signedBody<Body>({ documentText, note }: Statement): { statement: Body; note: string } {
  return { statement: JSON.parse(documentText) as Body, note };
}

function headBody(statement: Statement): StatementHeadBody {
  const { about, made_by: maker } = JSON.parse(statement.documentText) as LeaveStatementBody | ExposureStatementBody;
  const key = 'api_key' in about ? about.api_key : undefined;
  const named = 'address' in about ? (about.address ?? about.ip) : undefined;
  return {
    id: statement.id,
    kind: statement.kind,
    about: named ?? (key === undefined ? (about.user?.email ?? '') : `${about.user?.email ?? ''} ${key.prefix}…`),
    made_at: isoInstant(statement.createdAt),
    made_by: maker.email,
  };
}

function placeOf(after: string | undefined): { createdAt: number; id: string } | null {
  if (after === undefined || after === '') return null;
  const values = readCursor(after, ['number', 'string']);
  if (values === null)
    throw invalid('list.bad_place', 'The list can’t go on from here. Start again from its first page.', 'after');
  return { createdAt: values[0] as number, id: values[1] as string };
}

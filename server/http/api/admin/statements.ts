// Signed statements, for administrators and auditors. A document leaves exactly as it was signed.
import type { ExposureStatementBody, LeaveStatementBody, StatementHeadBody } from '#contract/admin/statements.ts';
import { stateExposure } from '../../../actions/statements/exposure.ts';
import { leave } from '../../../actions/statements/leave.ts';
import { getStatement, listAllStatements } from '../../../actions/statements/statements.ts';
import { invalid } from '../../../domain/problem.ts';
import type { Statement } from '../../../domain/statements.ts';
import { readCursor, writeCursor } from '../../../lib/cursor.ts';
import { isoInstant } from '../../../lib/dates.ts';
import { alreadySent, type Serve } from '../../endpoint.ts';
import { sendPdf, wantsPdf } from '../../pdf/sending.ts';
import { statementPaper } from '../../pdf/statements.ts';
import { type Reply, sendJsonText } from '../../transport/answers.ts';

const usualSize = 50;

export function serveStatements(serve: Serve): void {
  serve('leaveUser', async (call) => {
    const { hand_over_to: handOverTo, reason } = call.body.leave;
    return sendSigned(call, await leave(call.ctx, call.caller, call.params.id, { handOverTo, reason }));
  });

  serve('stateExposure', async (call) => {
    const { user, api_key: apiKey, address, ip, from, to } = call.body.exposure;
    return sendSigned(call, await stateExposure(call.ctx, call.caller, { user, apiKey, address, ip, from, to }));
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
    return sendSigned(call, statement);
  });
}

/** The order of the fields is part of what was signed. */
function sendSigned(reply: Reply, { documentText, note }: Statement): typeof alreadySent {
  sendJsonText(reply, 200, `{"statement":${documentText},"note":${JSON.stringify(note)}}`);
  return alreadySent;
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

import type { ExposureStatementBody, LeaveStatementBody } from '#contract/admin/statements.ts';
import { readPageMarker } from '../../../actions/listing.ts';
import { stateExposure } from '../../../actions/statements/exposure.ts';
import { leave } from '../../../actions/statements/leave.ts';
import { findFileNamesFor, getStatement, listAllStatements } from '../../../actions/statements/statements.ts';
import type { Statement } from '../../../domain/statements.ts';
import { writeCursor } from '../../../lib/cursor.ts';
import { alreadySent, type Serve } from '../../endpoint.ts';
import { sendPdf, wantsPdf } from '../../pdf/sending.ts';
import { statementDocument } from '../../pdf/statements.ts';
import { type Reply, sendJsonText } from '../../transport/answers.ts';

export function serveStatements(serve: Serve): void {
  serve('leaveUser', async (call) => {
    return sendSigned(call, await leave(call.ctx, call.caller, call.params.id, call.body.leave));
  });

  serve('stateExposure', async (call) => {
    return sendSigned(call, await stateExposure(call.ctx, call.caller, call.body.exposure));
  });

  serve('listStatements', async ({ ctx, caller, query }) => {
    const values = readPageMarker(query.after, ['number', 'string']);
    const before = values === null ? null : { createdAt: Number(values[0]), id: String(values[1]) };
    const page = { before, size: query.size };
    const { statements, next } = await listAllStatements(ctx, caller, page);
    return {
      statements: statements.map(headOf),
      next: next === null ? null : writeCursor([next.createdAt, next.id]),
    };
  });

  serve('getStatement', async (call) => {
    const statement = await getStatement(call.ctx, call.caller, call.params.id);
    if (wantsPdf(call))
      return sendPdf(call, statementDocument(statement, await findFileNamesFor(call.ctx, call.caller, statement)));
    return sendSigned(call, statement);
  });
}

/** The order of the fields is part of what was signed. */
function sendSigned(reply: Reply, { documentText, note }: Statement): typeof alreadySent {
  sendJsonText(reply, 200, `{"statement":${documentText},"note":${JSON.stringify(note)}}`);
  return alreadySent;
}

function headOf(statement: Statement) {
  const { about, made_by: maker } = JSON.parse(statement.documentText) as LeaveStatementBody | ExposureStatementBody;
  const key = 'api_key' in about ? about.api_key : undefined;
  const named = 'address' in about ? (about.address ?? about.ip) : undefined;
  return {
    ...statement,
    about: named ?? (key === undefined ? (about.user?.email ?? '') : `${about.user?.email ?? ''} ${key.prefix}…`),
    madeBy: maker.email,
  };
}

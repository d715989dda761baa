// One user, for the console.
import {
  endSessionsOf,
  inviteAgain,
  readKeyOf,
  renewClientKeyOf,
  resetSecondStep,
} from '../../../actions/users/access.ts';
import { getPerson } from '../../../actions/users/details.ts';
import { erasePerson, planErasure } from '../../../actions/users/erasure-requests.ts';
import { exportPerson } from '../../../actions/users/exports.ts';
import { importPeople } from '../../../actions/users/imports.ts';
import type { Serve } from '../../endpoint.ts';
import { readerOf } from '../../transport/languages.ts';
import { refusalText } from '../../transport/refusal-texts.ts';

export function serveUserActions(serve: Serve): void {
  serve('getPerson', async ({ ctx, caller, params }) => ({ person: await getPerson(ctx, caller, params.id) }));
  serve('endPersonSession', ({ ctx, caller, params }) => endSessionsOf(ctx, caller, params.id, params.session));
  serve('endPersonSessions', ({ ctx, caller, params }) => endSessionsOf(ctx, caller, params.id, null));
  serve('resetSecondStep', ({ ctx, caller, params, body }) =>
    resetSecondStep(ctx, caller, params.id, body.reset.reason),
  );
  serve('readPersonKey', async ({ ctx, caller, params, body }) => ({
    apiKey: { key: await readKeyOf(ctx, caller, params.id, body.apiKey.reason) },
  }));
  serve('renewClientKey', ({ ctx, caller, params, body }) =>
    renewClientKeyOf(ctx, caller, params.id, body.clientKey.reason),
  );
  serve('invitePerson', ({ ctx, caller, params }) => inviteAgain(ctx, caller, params.id));
  serve('planErasure', async ({ ctx, caller, params }) => ({ erasure: await planErasure(ctx, caller, params.id) }));
  serve('erasePerson', async ({ ctx, caller, params, body }) => ({
    erasure: await erasePerson(ctx, caller, params.id, body.erasure),
  }));
  serve('exportPerson', async ({ ctx, caller, params }) => {
    const { lists, ...copy } = await exportPerson(ctx, caller, params.id);
    return { export: { ...copy, ...lists } };
  });
  serve('importPeople', async ({ deps, ctx, caller, body, raw }) => {
    const outcomes = await importPeople(ctx, caller, body.import);
    const reader = readerOf(deps, raw);
    const described = outcomes.map(({ problem, ...outcome }) => ({
      ...outcome,
      code: problem?.code ?? null,
      field: problem?.field ?? null,
      sentence: problem === null ? null : refusalText(problem, reader),
    }));
    return { import: { outcomes: described } };
  });
}

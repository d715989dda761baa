// One person, for the console: everything about the account, and what administrators can do about it.
import type { ErasurePlanBody, PersonDetailAnswer, PersonExportAnswer } from '#contract/admin/user-actions.ts';
import {
  endSessionsOf,
  inviteAgain,
  readKeyOf,
  renewClientKeyOf,
  resetSecondStep,
} from '../../../actions/users/access.ts';
import { getPerson, type PersonDetail } from '../../../actions/users/details.ts';
import { type ErasurePlan, erasePerson, planErasure } from '../../../actions/users/erasure-requests.ts';
import { exportPerson, type PersonExport } from '../../../actions/users/exports.ts';
import { type ImportOutcome, importPeople } from '../../../actions/users/imports.ts';
import { unprovenAddresses } from '../../../domain/addresses.ts';
import type { ExportedRows } from '../../../domain/person-exports.ts';
import type { User } from '../../../domain/users.ts';
import { isoInstant } from '../../../lib/dates.ts';
import type { Serve } from '../../endpoint.ts';
import { readerOf } from '../../transport/languages.ts';
import { type Reader, refusalWords } from '../../transport/refusal-texts.ts';
import { personBody } from './user-lists.ts';

const megabyte = 1024 * 1024;

export function serveUserActions(serve: Serve): void {
  serve('getPerson', async ({ ctx, caller, params }) => ({
    person: detailBody(await getPerson(ctx, caller, params.id)),
  }));
  serve('endPersonSession', ({ ctx, caller, params }) => endSessionsOf(ctx, caller, params.id, params.session));
  serve('endPersonSessions', ({ ctx, caller, params }) => endSessionsOf(ctx, caller, params.id, null));
  serve('resetSecondStep', ({ ctx, caller, params, body }) =>
    resetSecondStep(ctx, caller, params.id, body.reset.reason),
  );
  serve('readPersonKey', async ({ ctx, caller, params, body }) => ({
    api_key: { key: await readKeyOf(ctx, caller, params.id, body.api_key.reason) },
  }));
  serve('renewClientKey', ({ ctx, caller, params, body }) =>
    renewClientKeyOf(ctx, caller, params.id, body.client_key.reason),
  );
  serve('invitePerson', ({ ctx, caller, params }) => inviteAgain(ctx, caller, params.id));
  serve('planErasure', async ({ ctx, caller, params }) => ({
    erasure: planBody(await planErasure(ctx, caller, params.id)),
  }));
  serve('erasePerson', async ({ ctx, caller, params, body }) => ({
    erasure: planBody(await erasePerson(ctx, caller, params.id, body.erasure)),
  }));
  serve('exportPerson', async ({ ctx, caller, params }) => ({
    export: exportBody(await exportPerson(ctx, caller, params.id)),
  }));
  serve('importPeople', async ({ deps, ctx, caller, body, raw }) => {
    const { people, group, invite, dry_run } = body.import;
    const outcomes = await importPeople(ctx, caller, {
      lines: people.map(({ line, email, name, group: named }) => ({
        line,
        email: email.trim(),
        name: name ?? '',
        group: named?.trim() ?? '',
      })),
      groupId: group,
      isInvited: invite === true,
      isDryRun: dry_run === true,
    });
    const reader = readerOf(deps, raw);
    return { import: { outcomes: outcomes.map((outcome) => outcomeBody(outcome, reader)) } };
  });
}

function detailBody({
  user,
  groupReason,
  guard,
  sessions,
  keys,
  hasClientKey,
  mayReadKey,
}: PersonDetail): PersonDetailAnswer {
  const quota = user.policy.storage_quota;
  return {
    ...personBody(user),
    addresses: addressesOf(user),
    storage_quota: quota === 0 ? null : quota * megabyte,
    has_password: user.passwordHash !== null,
    group_reason: {
      why: groupReason.why,
      at: groupReason.at === null ? null : isoInstant(groupReason.at),
      by: groupReason.by,
    },
    guard,
    sessions,
    api_keys: keys,
    has_client_key: hasClientKey,
    may_read_key: mayReadKey,
  };
}

function addressesOf(user: User): PersonDetailAnswer['addresses'] {
  const unproven = unprovenAddresses(user);
  const all = [...new Set([user.email, ...user.senderAliases, ...user.recipientAliases])];
  return all.map((address) => ({
    address,
    is_own: address === user.email,
    is_sender: address === user.email || user.senderAliases.includes(address),
    is_recipient: address === user.email || user.recipientAliases.includes(address),
    is_confirmed: !unproven.includes(address),
  }));
}

function exportBody({ person, lists, truncated, leftOut, madeAt }: PersonExport): PersonExportAnswer {
  const bodies = Object.entries(lists).map(([name, rows]) => [name, rows.map(rowBody)]);
  return {
    made_at: isoInstant(madeAt),
    person: detailBody(person),
    ...(Object.fromEntries(bodies) as Record<keyof typeof lists, ReturnType<typeof rowBody>[]>),
    truncated,
    left_out: leftOut,
  };
}

function rowBody(row: ExportedRows[number]): Record<string, string | number | null> {
  const told = Object.entries(row).map(([name, value]) => {
    if (!/_at$/.test(name)) return [name, /^(?:size|count|number)$/.test(name) ? Number(value) : value];
    return [name, value === null ? null : isoInstant(Number(value))];
  });
  return Object.fromEntries(told);
}

function planBody({ messages, links, requests, files, bytes }: ErasurePlan): ErasurePlanBody {
  return {
    erased: { messages, links, requests, files, bytes },
    kept: ['log', 'received', 'downloads', 'mails'],
  };
}

function outcomeBody({ line, email, outcome, problem }: ImportOutcome, reader: Reader) {
  return {
    line,
    email,
    outcome,
    code: problem?.code ?? null,
    field: problem?.field ?? null,
    sentence: problem === null ? null : refusalWords(problem, reader),
  };
}

// How mail leaves: test, sender domain, queue, refusals. For System Administrators.
import type { IncomingMessage } from 'node:http';
import {
  checkMailDomain,
  describeDelivery,
  dropQueuedMail,
  listMailQueue,
  listRefusals,
  type MailFilter,
  type MailRecord,
  retryQueuedMail,
  testDelivery,
} from '../../../actions/mail/delivery.ts';
import type { Check } from '../../../domain/checks.ts';
import { invalid } from '../../../domain/problem.ts';
import type { HttpDeps } from '../../deps.ts';
import type { Serve } from '../../endpoint.ts';
import { describeChecks } from '../../transport/check-texts.ts';

const usualSize = 25;
const mailSettings = /^WAYBILL_(SMTP_URL|MAIL_|NAME_SERVER)/;
const states = {
  waiting: ['pending', 'sending'],
  refused: ['failed'],
  sent: ['sent'],
  dropped: ['cancelled'],
  all: null,
} as const satisfies Record<string, MailFilter['states']>;
const wireState = {
  pending: 'waiting',
  sending: 'sending',
  sent: 'sent',
  failed: 'refused',
  cancelled: 'dropped',
} as const satisfies Record<MailRecord['state'], string>;

export function serveMailDelivery(serve: Serve): void {
  serve('getMailDelivery', async ({ ctx, deps, caller }) => {
    const { waiting, refusedToday } = await describeDelivery(ctx, caller);
    const { route } = deps.mail;
    return {
      mail: {
        is_set_up: route.isReal,
        server: route.server,
        security: route.security,
        user: route.user,
        from: route.from,
        envelope_from: route.envelopeFrom,
        own_domains: [...route.ownDomains],
        rate_per_minute: route.perMinute,
        settings: deps.system.settings.filter(({ name }) => mailSettings.test(name)),
        waiting,
        refused_today: refusedToday,
      },
    };
  });
  serve('testMail', async ({ ctx, deps, caller, raw, body }) =>
    mailTestBody(deps, raw, await testDelivery(ctx, caller, deps.mail, body.mail_test.to)),
  );
  serve('checkMailDomain', async ({ ctx, deps, caller, raw, query }) => {
    const { name, checks } = await checkMailDomain(ctx, caller, deps.mail, query.selector);
    return { domain: { name, checks: describeChecks(deps, raw, checks) } };
  });
  serve('listMails', async ({ ctx, caller, query }) => {
    const filter = {
      states: states[query.state ?? 'waiting'],
      domain: query.domain || null,
      after: query.after === undefined ? null : readPlace(query.after),
    };
    const { mails, next } = await listMailQueue(ctx, caller, filter, query.size ?? usualSize);
    return { mails: mails.map(mailBody), next: next === null ? null : `${next.createdAt}-${next.id}` };
  });
  serve('retryMail', async ({ ctx, caller, params }) => ({
    mail: mailBody(await retryQueuedMail(ctx, caller, params.id)),
  }));
  serve('dropMail', async ({ ctx, caller, params }) => ({
    mail: mailBody(await dropQueuedMail(ctx, caller, params.id)),
  }));
  serve('listMailRefusals', async ({ ctx, caller }) => ({
    refusals: (await listRefusals(ctx, caller)).map(({ domain, mails, lastAt, said }) => ({
      domain,
      mails,
      last_at: new Date(lastAt).toISOString(),
      said,
    })),
  }));
}

export function mailTestBody(deps: HttpDeps, raw: IncomingMessage, test: { to: string; steps: Check[] }) {
  const isAccepted = test.steps.length > 0 && test.steps.at(-1)!.state === 'passed';
  return { mail_test: { to: test.to, is_accepted: isAccepted, steps: describeChecks(deps, raw, test.steps) } };
}

function readPlace(text: string): MailFilter['after'] {
  const match = /^(\d{1,15})-([A-Za-z0-9]{1,40})$/.exec(text);
  if (match === null)
    throw invalid('list.bad_place', 'This page marker is not valid. Use “next” from the previous answer.', 'after');
  return { createdAt: Number(match[1]), id: match[2]! };
}

function mailBody(mail: MailRecord) {
  const isWaiting = mail.state === 'pending';
  return {
    id: mail.id,
    kind: mail.kind,
    to: mail.recipient,
    state: wireState[mail.state],
    attempts: mail.attempts,
    created_at: new Date(mail.createdAt).toISOString(),
    next_at: isWaiting ? new Date(mail.nextAt).toISOString() : null,
    finished_at: mail.finishedAt === null ? null : new Date(mail.finishedAt).toISOString(),
    said: mail.serverText,
    about: mail.about,
  };
}

// Mail delivery: test, sender domain, queue, refusals.

import { readPageMarker } from '../../../actions/listing.ts';
import {
  checkMailDomain,
  describeDelivery,
  dropQueuedMail,
  listMailQueue,
  listRefusals,
  retryQueuedMail,
  testDelivery,
} from '../../../actions/mail/delivery.ts';
import { changeMailSettings, describeMailSettings, removeMailSettings } from '../../../actions/mail/mail-settings.ts';
import { writeCursor } from '../../../lib/cursor.ts';
import type { Serve } from '../../endpoint.ts';
import { describeChecks } from '../../transport/check-texts.ts';

const mailSettings = /^WAYBILL_(SMTP_|MAIL_|DKIM_|NAME_SERVER)/;
/** Shown only when they are set. */
const rareSettings = /^WAYBILL_(SMTP_OAUTH_|MAIL_GRAPH_|DKIM_)/;

export function serveMailDelivery(serve: Serve): void {
  serve('getMailDelivery', async ({ ctx, deps, caller }) => {
    const { route } = deps.mail;
    const settings = deps.system.settings.filter(
      ({ name, source }) => mailSettings.test(name) && (source !== 'default' || !rareSettings.test(name)),
    );
    const counts = await describeDelivery(ctx, caller);
    return { mail: { ...route, ownDomains: [...route.ownDomains], settings, ...counts } };
  });
  serve('getMailSettings', async ({ deps, caller }) => ({ mailSettings: describeMailSettings(caller, deps.mail) }));
  serve('changeMailSettings', async ({ ctx, deps, caller, body }) => ({
    mailSettings: await changeMailSettings(ctx, caller, deps.mail, body.mailSettings),
  }));
  serve('removeMailSettings', async ({ ctx, deps, caller }) => ({
    mailSettings: await removeMailSettings(ctx, caller, deps.mail),
  }));
  serve('testMail', async ({ ctx, deps, caller, raw, body }) => {
    const { to, steps } = await testDelivery(ctx, caller, deps.mail, body.mailTest.to);
    return { mailTest: { to, steps: describeChecks(deps, raw, steps) } };
  });
  serve('checkMailDomain', async ({ ctx, deps, caller, raw, query }) => {
    const { name, checks } = await checkMailDomain(ctx, caller, deps.mail, query.selector);
    return { domain: { name, checks: describeChecks(deps, raw, checks) } };
  });
  serve('listMails', async ({ ctx, caller, query: { after, size, ...filter } }) => {
    const values = readPageMarker(after, ['number', 'string']);
    const place = values === null ? null : { createdAt: Number(values[0]), id: String(values[1]) };
    const { mails, next } = await listMailQueue(ctx, caller, { ...filter, after: place }, size);
    return { mails, next: next === null ? null : writeCursor([next.createdAt, next.id]) };
  });
  serve('retryMail', async ({ ctx, caller, params }) => ({ mail: await retryQueuedMail(ctx, caller, params.id) }));
  serve('dropMail', async ({ ctx, caller, params }) => ({ mail: await dropQueuedMail(ctx, caller, params.id) }));
  serve('listMailRefusals', async ({ ctx, caller }) => ({ refusals: await listRefusals(ctx, caller) }));
}

// Pages that take files from people outside: File Requests (R6), drop pages (R7), and what follows a delivery (R8).
// Without script a multipart form; with script the files are here already and only their ids are posted.
import { humanSize } from '#contract/sizes.ts';
import type {
  DeliveredPage,
  DropPage,
  DropProblem,
  RequestPage,
  RequestProblem,
  UploadLimits,
} from '#web/pages/delivery-props.ts';
import type { NotAvailablePage, Page, Person } from '#web/pages/props.ts';
import { getAttachments } from '../../actions/attachments/attachments.ts';
import {
  type FileRequest,
  type RequestVisit,
  requestClosedSentence,
  visitFileRequest,
} from '../../actions/file-requests/file-requests.ts';
import {
  demandDropKey,
  type Filedrop,
  findDropSource,
  findFiledrop,
  findPending,
  issueDropKey,
  keepPending,
} from '../../actions/filedrops/filedrops.ts';
import { answerRequest, type Delivered, deliverToDrop } from '../../actions/submissions/submissions.ts';
import type { AnonymousCaller } from '../../domain/caller.ts';
import type { Policy } from '../../domain/policy.ts';
import { Problem } from '../../domain/problem.ts';
import { dateOf, isoInstant } from '../../lib/dates.ts';
import { isId } from '../../lib/ids.ts';
import { originOf } from '../credentials.ts';
import type { HttpDeps } from '../deps.ts';
import { demandOwnPage, readCookie, seeOther, setCookie } from '../forms.ts';
import { type HandedIn, readHandedIn } from '../handed-in.ts';
import type { PageOptions } from '../page-renderer.ts';
import { sendPage } from '../pre-session.ts';
import type { Exchange, Router } from '../router.ts';
import { basePath } from '../urls.ts';
import { visitorOfPage } from '../visits.ts';
import { daysLeft } from './file-links.ts';
import { unknownPage } from './unknown.ts';
import { askForCode } from './verify.ts';

export function serveDeliveryPages(deps: HttpDeps, router: Router): void {
  router.page('GET', '/requests/:id', async (exchange) => {
    const visit = await openRequest(deps, exchange);
    sendPage(deps, exchange, await requestPage(deps, visit, emptyHand, []), { reference: exchange.params.id! });
  });
  router.page('POST', '/requests/:id', (exchange) => takeAnswer(deps, exchange));
  router.page('GET', '/filedrop/:name', async (exchange) => {
    const drop = await findFiledrop(deps.ctx, exchange.params.name!);
    if (drop === null) return sendPage(deps, exchange, unknownPage);
    const waiting = await waitingHand(deps, exchange, drop);
    const key = waiting?.key ?? (await issueDropKey(deps.ctx, drop));
    sendPage(deps, exchange, await dropPage(deps, exchange, drop, key, waiting?.hand ?? emptyHand, []));
  });
  router.page('POST', '/filedrop/:name', (exchange) => takeDelivery(deps, exchange));
}

const emptyHand: HandedIn = { fields: new Map(), attachmentIds: [], refusals: [] };

function anonymous(deps: HttpDeps, exchange: Exchange): AnonymousCaller {
  return { kind: 'anonymous', from: originOf(deps, exchange.raw, exchange.requestId) };
}

async function openRequest(deps: HttpDeps, exchange: Exchange): Promise<RequestVisit | null> {
  const id = exchange.params.id!;
  return isId(id) ? visitFileRequest(deps.ctx, anonymous(deps, exchange), id) : null;
}

async function takeAnswer(deps: HttpDeps, exchange: Exchange): Promise<void> {
  demandOwnPage(deps, exchange.raw);
  const caller = anonymous(deps, exchange);
  const visit = await openRequest(deps, exchange);
  if (visit === null || visit.uploader === null)
    return sendPage(deps, exchange, await requestPage(deps, visit, emptyHand, []));
  const hand = await readHandedIn(deps, exchange, async () => visit.uploader!);
  const problems: RequestProblem[] = hand.refusals.map((sentence) => ({ field: 'files', sentence }));
  if (hand.attachmentIds.length === 0 && problems.length === 0) problems.push({ field: 'files', reason: 'missing' });
  if (problems.length > 0) return sendPage(deps, exchange, await requestPage(deps, visit, hand, problems));
  const { request } = visit;
  try {
    const delivered = await answerRequest(deps.ctx, caller, request, {
      attachmentIds: hand.attachmentIds,
      // The request was mailed to this address and nobody else knows its link (security D10 calls that no proof).
      sender: { address: request.recipient, name: '', isConfirmed: true },
      subject: request.subject,
      note: hand.fields.get('note') ?? '',
    });
    const sendMoreUrl = request.isReusable ? `${basePath(deps)}/requests/${request.id}` : null;
    sendPage(deps, exchange, deliveredPage(delivered, sendMoreUrl, request.recipient));
  } catch (error) {
    if (!(error instanceof Problem) || error.kind !== 'invalid') throw error;
    if (error.code === 'request.closed')
      return sendPage(deps, exchange, await requestPage(deps, await openRequest(deps, exchange), emptyHand, []));
    sendPage(deps, exchange, await requestPage(deps, visit, hand, [{ field: 'files', sentence: error.message }]));
  }
}

async function requestPage(
  deps: HttpDeps,
  visit: RequestVisit | null,
  hand: HandedIn,
  problems: RequestProblem[],
): Promise<Page> {
  if (visit === null) return unknownPage;
  const { request, uploader } = visit;
  const asker: Person = {
    name: visit.asker.name === '' ? visit.asker.email : visit.asker.name,
    address: visit.asker.email,
  };
  if (uploader === null) return closedPage(deps, request, asker);
  const action = `${basePath(deps)}/requests/${request.id}`;
  return {
    kind: 'request',
    form: { action },
    asker,
    subject: request.subject,
    text: request.body,
    address: request.recipient,
    until: { date: request.expiresOn, daysLeft: daysLeft(deps, request.expiresOn) },
    isReusable: request.isReusable,
    mayBeForwarded: uploader.policy.file_request_permission === 2,
    upload: {
      url: `${action}/attachments/upload`,
      stateUrl: `${action}/uploads/{id}`,
      csrf: null,
      firstUploadId: 'new',
      chunkSizeBytes: deps.ctx.settings.surroundings.chunkSizeBytes,
    },
    limits: limitsOf(deps, uploader.policy, uploader.policy.message_max_size),
    received: await receivedFiles(deps, hand, uploader.source),
    values: { note: hand.fields.get('note') ?? '' },
    problems,
  } satisfies RequestPage;
}

function closedPage(deps: HttpDeps, request: FileRequest, asker: Person): NotAvailablePage {
  const { timeZone } = deps.ctx.settings.surroundings;
  if (request.state === 'expired') {
    return {
      kind: 'not-available',
      about: null,
      reason: { is: 'request-closed', wasAnswered: false, on: request.expiresOn, asker },
    };
  }
  const on = request.answeredAt === null ? null : dateOf(request.answeredAt, timeZone);
  return {
    kind: 'not-available',
    about: requestClosedSentence(request.state),
    reason: { is: 'request-closed', wasAnswered: request.state === 'used', on, asker },
  };
}

async function takeDelivery(deps: HttpDeps, exchange: Exchange): Promise<void> {
  demandOwnPage(deps, exchange.raw);
  const caller = anonymous(deps, exchange);
  const name = exchange.params.name!;
  const drop = await findFiledrop(deps.ctx, name);
  if (drop === null) return sendPage(deps, exchange, unknownPage);
  const hand = await readHandedIn(
    deps,
    exchange,
    async (fields) => (await demandDropKey(deps.ctx, caller, name, fields.get('drop_key') ?? '')).uploader,
  );
  const key = hand.fields.get('drop_key') ?? '';
  const visitor = await visitorOfPage(deps, exchange.raw);
  const proven = visitor.identity.provenAddresses[0] ?? visitor.user?.email ?? null;
  const email = proven ?? (hand.fields.get('email') ?? '').trim();
  const problems: DropProblem[] = hand.refusals.map((sentence) => ({ field: 'files', sentence }));
  if (email === '') problems.push({ field: 'email', reason: 'missing' });
  if (hand.attachmentIds.length === 0 && hand.refusals.length === 0)
    problems.push({ field: 'files', reason: 'missing' });
  if (problems.length > 0) return sendPage(deps, exchange, await dropPage(deps, exchange, drop, key, hand, problems));
  const access = await demandDropKey(deps.ctx, caller, name, key);
  if (drop.policy.filedrop_confirm_sender && proven === null) {
    await keepPending(deps.ctx, access, { fields: Object.fromEntries(hand.fields), attachmentIds: hand.attachmentIds });
    // The files that are here already wait under their key, which this browser keeps.
    return askForCode(deps, exchange, `drop:${drop.name}`, email, [setCookie(deps, dropCookie, key)]);
  }
  await deliver(deps, exchange, { drop, key, hand, email, isConfirmed: proven !== null });
}

interface Delivering {
  drop: Filedrop;
  key: string;
  hand: HandedIn;
  email: string;
  isConfirmed: boolean;
}

/** Hands everything over and shows what was delivered, or the form again with what is wrong. */
async function deliver(
  deps: HttpDeps,
  exchange: Exchange,
  { drop, key, hand, email, isConfirmed }: Delivering,
  options: PageOptions = {},
): Promise<void> {
  const caller = anonymous(deps, exchange);
  const text = (field: string) => hand.fields.get(field) ?? '';
  try {
    const delivered = await deliverToDrop(deps.ctx, caller, await demandDropKey(deps.ctx, caller, drop.name, key), {
      attachmentIds: hand.attachmentIds,
      sender: { address: email, name: text('name'), isConfirmed },
      subject: text('subject'),
      note: text('message'),
    });
    const moreUrl = `${basePath(deps)}/filedrop/${encodeURIComponent(drop.name)}`;
    sendPage(deps, exchange, deliveredPage(delivered, moreUrl, isConfirmed ? email : null), options);
  } catch (error) {
    if (!(error instanceof Problem) || error.kind !== 'invalid') throw error;
    const field = error.field === 'email' || error.field === 'subject' ? error.field : 'files';
    const problem = { field, sentence: error.message } as DropProblem;
    sendPage(deps, exchange, await dropPage(deps, exchange, drop, key, hand, [problem]), options);
  }
}

/** The right code was typed: what waits under this browser's key is delivered. */
export async function deliverWaiting(
  deps: HttpDeps,
  exchange: Exchange,
  name: string,
  address: string,
  proofCookie: string,
): Promise<void> {
  const drop = await findFiledrop(deps.ctx, name);
  const waiting = drop === null ? null : await waitingHand(deps, exchange, drop);
  if (drop === null || waiting === null)
    return seeOther(exchange.response, `${basePath(deps)}/filedrop/${encodeURIComponent(name)}`, {
      'set-cookie': proofCookie,
    });
  const headers = { 'set-cookie': [proofCookie, setCookie(deps, dropCookie, '', 0)] };
  await deliver(deps, exchange, { drop, ...waiting, email: address, isConfirmed: true }, { headers });
}

const dropCookie = 'drop';

/** Back from proving an address: everything is as it was before. */
async function waitingHand(
  deps: HttpDeps,
  exchange: Exchange,
  drop: Filedrop,
): Promise<{ key: string; hand: HandedIn } | null> {
  const key = readCookie(deps, exchange.raw, dropCookie);
  const pending = key === undefined ? null : await findPending(deps.ctx, drop, key);
  if (key === undefined || pending === null) return null;
  return {
    key,
    hand: { fields: new Map(Object.entries(pending.fields)), attachmentIds: pending.attachmentIds, refusals: [] },
  };
}

async function dropPage(
  deps: HttpDeps,
  exchange: Exchange,
  drop: Filedrop,
  key: string,
  hand: HandedIn,
  problems: DropProblem[],
): Promise<DropPage> {
  const visitor = await visitorOfPage(deps, exchange.raw);
  const action = `${basePath(deps)}/filedrop/${encodeURIComponent(drop.name)}`;
  const value = (field: string) => hand.fields.get(field) ?? '';
  return {
    kind: 'drop',
    form: { action, hidden: { drop_key: key } },
    owner: { name: drop.label, address: null },
    title: null,
    intro: '',
    provenAddress: visitor.identity.provenAddresses[0] ?? visitor.user?.email ?? null,
    needsConfirmation: drop.policy.filedrop_confirm_sender,
    upload: {
      url: `${action}/keys/${key}/upload`,
      stateUrl: `${action}/keys/${key}/uploads/{id}`,
      csrf: null,
      firstUploadId: 'new',
      chunkSizeBytes: deps.ctx.settings.surroundings.chunkSizeBytes,
    },
    limits: limitsOf(deps, drop.policy, drop.policy.filedrop_max_size),
    received: await receivedFiles(deps, hand, await findDropSource(deps.ctx, drop, key)),
    values: { email: value('email'), name: value('name'), subject: value('subject'), message: value('message') },
    problems,
  };
}

function limitsOf(deps: HttpDeps, policy: Policy, megabytes: number): UploadLimits {
  const list = (text: string) => text.split(',').filter((item) => item !== '');
  return {
    maxTotalBytes: megabytes * 1024 * 1024,
    maxFiles: 1000,
    permittedExtensions: list(policy.permitted_extensions),
    blockedExtensions: list(policy.blocked_extensions),
    formMaxBytes: deps.ctx.settings.surroundings.formUploadMaxBytes,
  };
}

/** Files of an earlier try: nobody chooses a file twice because of a typing error. */
async function receivedFiles(
  deps: HttpDeps,
  hand: HandedIn,
  source: string | null,
): Promise<{ id: string; name: string; sizeText: string }[]> {
  const files = source === null ? [] : await getAttachments(deps.ctx, hand.attachmentIds, source);
  return files.map((file) => ({ id: file.id, name: file.fileName, sizeText: humanSize(file.sizeBytes) }));
}

function deliveredPage(delivered: Delivered, sendMoreUrl: string | null, receiptAddress: string | null): DeliveredPage {
  const { receiver } = delivered;
  return {
    kind: 'delivered',
    recipient: { name: receiver.name === '' ? receiver.email : receiver.name, address: null },
    deliveredAt: isoInstant(delivered.deliveredAt),
    files: delivered.files.map((file) => ({
      name: file.name,
      sizeText: humanSize(file.sizeBytes),
      sha256: file.sha256 === '' ? null : file.sha256,
    })),
    reference: delivered.reference,
    sendMoreUrl,
    receipt: receiptAddress === null ? null : { is: 'sent', address: receiptAddress },
  };
}

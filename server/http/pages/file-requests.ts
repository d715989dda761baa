// With script the files are uploaded first and the form has their ids. Every answer is a redirect.
import type { RequestPage, RequestProblem } from '#web/pages/delivery-props.ts';
import type { Page } from '#web/pages/page.ts';
import type { NotAvailablePage, Person } from '#web/pages/props.ts';
import { type RequestVisit, visitFileRequest } from '../../actions/file-requests/file-requests.ts';
import { acceptedBy } from '../../actions/passkeys/requirement.ts';
import { answerRequest } from '../../actions/submissions/submissions.ts';
import { findAnswerReceipt } from '../../actions/submissions/uploader-receipts.ts';
import { addressesOf } from '../../domain/audience.ts';
import type { FileRequest } from '../../domain/file-requests.ts';
import { Problem } from '../../domain/problem.ts';
import { dateOf } from '../../lib/dates.ts';
import { isId } from '../../lib/ids.ts';
import type { HttpDeps } from '../deps.ts';
import { anonymousCaller } from '../identity/credentials.ts';
import { sendPage } from '../identity/pre-session.ts';
import { visitorOfPage } from '../identity/visits.ts';
import { readerOf } from '../transport/languages.ts';
import { refusalText } from '../transport/refusal-texts.ts';
import type { Exchange, Router } from '../transport/router.ts';
import { basePath } from '../transport/urls.ts';
import { readIds, readSubmittedForm, type SubmittedForm } from '../uploads/submitted-files.ts';
import {
  deliveredUrl,
  type KeptSubmission,
  keptSubmission,
  limitsOf,
  receivedFiles,
  submittedOf,
} from './delivered.ts';
import { daysLeft } from './file-links.ts';
import { isScriptRequest, readFlash, redirectWith } from './flash.ts';
import { assertOwnPage, seeOther } from './forms.ts';
import { notFoundPage } from './not-found.ts';

type Kept = KeptSubmission & { problems: RequestProblem[] };

export function serveRequestPages(deps: HttpDeps, router: Router): void {
  router.page('GET', '/requests/:id', async (exchange) => {
    const visit = await openRequest(deps, exchange);
    const { kept, cookies } = readFlash<Kept>(deps, exchange, pathOf(exchange));
    const page = await requestPage(deps, visit, submittedOf(kept), kept?.problems ?? []);
    sendPage(deps, exchange, page, { reference: exchange.params.id!, headers: { 'set-cookie': cookies } });
  });
  router.page('POST', '/requests/:id', (exchange) => takeAnswer(deps, exchange));
}

function pathOf({ params }: Exchange): string {
  return `/requests/${params.id}`;
}

async function openRequest(deps: HttpDeps, exchange: Exchange): Promise<RequestVisit | null> {
  const id = exchange.params.id!;
  return isId(id) ? visitFileRequest(deps.ctx, anonymousCaller(deps, exchange), id) : null;
}

async function takeAnswer(deps: HttpDeps, exchange: Exchange): Promise<void> {
  assertOwnPage(deps, exchange.raw);
  const visit = await openRequest(deps, exchange);
  if (visit === null) return sendPage(deps, exchange, notFoundPage);
  if (visit.uploader === null) return redirectClosed(deps, exchange, visit.request);
  const { uploader } = visit;
  const place = { ownerId: uploader.ownerId, uploaderOf: async () => uploader };
  const submitted = await readSubmittedForm(deps, exchange, place);
  const problems: RequestProblem[] = [...submitted.refusals];
  if (submitted.attachmentIds.length === 0 && problems.length === 0)
    problems.push({ field: 'files', reason: 'missing' });
  if (problems.length > 0) return showAgain(deps, exchange, visit, { submitted, problems });
  const { request } = visit;
  try {
    const { id } = await answerRequest(deps.ctx, anonymousCaller(deps, exchange), request, {
      attachmentIds: submitted.attachmentIds,
      sender: { address: request.recipient, name: '', isConfirmed: await hasProven(deps, exchange, request) },
      subject: request.subject,
      note: submitted.fields.get('note') ?? '',
    });
    seeOther(exchange.response, deliveredUrl(deps, id));
  } catch (error) {
    if (!(error instanceof Problem) || error.kind !== 'invalid') throw error;
    if (error.code === 'request.closed') return seeOther(exchange.response, basePath(deps) + pathOf(exchange));
    // The note becomes the text of the message.
    const field = error.field === 'message' ? 'note' : 'files';
    const problem = { field, sentence: refusalText(error, readerOf(deps, exchange.raw)) } as RequestProblem;
    await showAgain(deps, exchange, visit, { submitted, problems: [problem] });
  }
}

/** Having the link of a request proves nothing, because links are passed on. */
async function hasProven(deps: HttpDeps, exchange: Exchange, request: FileRequest): Promise<boolean> {
  const visitor = await visitorOfPage(deps, exchange.raw);
  const identity = await acceptedBy(deps.ctx.db.read, request.ownerId, visitor.identity);
  const account = identity.account === null ? [] : addressesOf(identity.account);
  return [...account, ...identity.provenAddresses].includes(request.recipient);
}

/** The visitor whose delivery closed it sees its receipt, others the closed page. */
async function redirectClosed(deps: HttpDeps, exchange: Exchange, request: FileRequest): Promise<void> {
  const receipt = await findAnswerReceipt(deps.ctx, request.id, await readIds(exchange));
  const location = receipt === null ? basePath(deps) + pathOf(exchange) : deliveredUrl(deps, receipt.id);
  seeOther(exchange.response, location);
}

async function showAgain(
  deps: HttpDeps,
  exchange: Exchange,
  visit: RequestVisit,
  { submitted, problems }: { submitted: SubmittedForm; problems: RequestProblem[] },
): Promise<void> {
  const kept: Kept = { ...keptSubmission(submitted, ['note']), problems };
  // A script gets the page itself, since its cookie might be refused.
  if (!isScriptRequest(exchange) && redirectWith(deps, exchange.response, pathOf(exchange), { kept })) return;
  sendPage(deps, exchange, await requestPage(deps, visit, submitted, problems));
}

async function requestPage(
  deps: HttpDeps,
  visit: RequestVisit | null,
  submitted: SubmittedForm,
  problems: RequestProblem[],
): Promise<Page> {
  if (visit === null) return notFoundPage;
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
    received: await receivedFiles(deps, submitted, uploader.source),
    values: { note: submitted.fields.get('note') ?? '' },
    problems,
  } satisfies RequestPage;
}

function closedPage(deps: HttpDeps, request: FileRequest, asker: Person): NotAvailablePage {
  const { timeZone } = deps.ctx.settings.surroundings;
  if (request.state === 'expired') {
    return {
      kind: 'not-available',
      about: request.subject || null,
      reason: { is: 'request-closed', wasAnswered: false, on: request.expiresOn, asker },
    };
  }
  const on = request.answeredAt === null ? null : dateOf(request.answeredAt, timeZone);
  return {
    kind: 'not-available',
    about: request.subject || null,
    reason: { is: 'request-closed', wasAnswered: request.state === 'used', on, asker },
  };
}

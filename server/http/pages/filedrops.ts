// Drop pages. An address is confirmed after the upload; until then the files wait under the key in this browser's
// cookie.
import type { DropPage, DropProblem } from '#web/pages/delivery-props.ts';
import {
  type Filedrop,
  findDropSource,
  findFiledrop,
  findPending,
  findPendingOfKey,
  issueKeyFor,
  requireDropKey,
  requireUploadKey,
  savePendingDelivery,
} from '../../actions/filedrops/filedrops.ts';
import { deliverToDrop, listTextFaults } from '../../actions/submissions/submissions.ts';
import { findDropReceipt } from '../../actions/submissions/uploader-receipts.ts';
import { acceptedIdentity, type Identity } from '../../domain/audience.ts';
import { Problem } from '../../domain/problem.ts';
import { parseAddress } from '../../lib/address.ts';
import type { HttpDeps } from '../deps.ts';
import { anonymousCaller } from '../identity/credentials.ts';
import { sendPage } from '../identity/pre-session.ts';
import { visitorOfPage } from '../identity/visits.ts';
import { readerOf } from '../transport/languages.ts';
import { refusalText } from '../transport/refusal-texts.ts';
import type { Exchange, Router } from '../transport/router.ts';
import { basePath } from '../transport/urls.ts';
import { readSubmittedForm, type SubmittedForm } from '../uploads/submitted-files.ts';
import {
  deliveredUrl,
  type KeptSubmission,
  keptSubmission,
  limitsOf,
  receivedFiles,
  submittedOf,
} from './delivered.ts';
import { isScriptRequest, readFlash, redirectWith } from './flash.ts';
import { assertOwnPage, clearCookie, readCookie, seeOther, setCookie } from './forms.ts';
import { notFoundPage } from './not-found.ts';
import { askForCode, type ProvenSender } from './verify.ts';

const fieldNames = ['email', 'name', 'subject', 'message'];

type Kept = KeptSubmission & { problems: DropProblem[] };

export function serveDropPages(deps: HttpDeps, router: Router): void {
  router.page('GET', '/filedrop/:name', async (exchange) => {
    const drop = await findFiledrop(deps.ctx, exchange.params.name!);
    if (drop === null) return sendPage(deps, exchange, notFoundPage);
    const { kept, cookies } = readFlash<Kept>(deps, exchange, pathOf(drop));
    const known = await knownKey(deps, exchange, drop);
    const waiting = known === null ? null : await findPending(deps.ctx, drop, known);
    const key = known ?? (await issueKeyFor(deps.ctx, drop));
    const attempt = { drop, key, submitted: submittedOf(kept ?? waiting), isWaiting: waiting !== null };
    const page = await dropPage(deps, exchange, attempt, kept?.problems ?? []);
    const keyCookie = known === null ? [setCookie(deps, cookieOf(deps, drop), key, dropKeySeconds)] : [];
    sendPage(deps, exchange, page, { headers: { 'set-cookie': [...cookies, ...keyCookie] } });
  });
  router.page('POST', '/filedrop/:name', (exchange) => takeDelivery(deps, exchange));
}

const dropKeySeconds = 86_400;

/** One cookie per drop page. */
function cookieOf(deps: HttpDeps, drop: Filedrop): string {
  return `drop-${deps.ctx.keys.hash('drop-cookie', drop.name).toString('hex').slice(0, 12)}`;
}

/** The key of this browser, while it is valid and unused. */
async function knownKey(deps: HttpDeps, exchange: Exchange, drop: Filedrop): Promise<string | null> {
  const key = readCookie(deps, exchange.raw, cookieOf(deps, drop));
  if (key === undefined) return null;
  return (await findDropSource(deps.ctx, drop, key)) === null ? null : key;
}

function pathOf(drop: Filedrop): string {
  return `/filedrop/${encodeURIComponent(drop.name)}`;
}

async function takeDelivery(deps: HttpDeps, exchange: Exchange): Promise<void> {
  assertOwnPage(deps, exchange.raw);
  const caller = anonymousCaller(deps, exchange);
  const name = exchange.params.name!;
  const drop = await findFiledrop(deps.ctx, name);
  if (drop === null) return sendPage(deps, exchange, notFoundPage);
  const submitted = await readSubmittedForm(deps, exchange, {
    ownerId: drop.owner.id,
    async uploaderOf(fields) {
      return (await requireUploadKey(deps.ctx, caller, name, fields.get('drop_key') ?? '')).uploader;
    },
  });
  const key = submitted.fields.get('drop_key') ?? '';
  const earlier = await findDropReceipt(deps.ctx, key, submitted.attachmentIds);
  if (earlier !== null) return seeOther(exchange.response, deliveredUrl(deps, earlier.id));
  const visitor = await visitorOfPage(deps, exchange.raw);
  const proven = provenAt(drop, visitor.identity);
  const email = proven ?? (submitted.fields.get('email') ?? '').trim();
  const problems: DropProblem[] = [...submitted.refusals];
  if (email === '') problems.push({ field: 'email', reason: 'missing' });
  else if (parseAddress(email, { allowSingleLabel: true }) === null)
    problems.push({ field: 'email', reason: 'invalid' });
  if (submitted.attachmentIds.length === 0 && submitted.refusals.length === 0)
    problems.push({ field: 'files', reason: 'missing' });
  const faults = listTextFaults(textsOf(submitted));
  problems.push(...faults.map((fault) => problemOf(deps, exchange, fault)));
  if (problems.length > 0) return showAgain(deps, exchange, { drop, key, submitted }, { problems });
  const access = await requireDropKey(deps.ctx, caller, name, key);
  if (drop.policy.filedrop_confirm_sender && proven === null) {
    await savePendingDelivery(deps.ctx, access, { key, ...keptSubmission(submitted, fieldNames) });
    const asked = { target: `drop:${drop.name}`, address: email, dropKeyId: access.keyId } as const;
    return askForCode(deps, exchange, asked, [setCookie(deps, cookieOf(deps, drop), key, dropKeySeconds)]);
  }
  await deliver(deps, exchange, { drop, key, submitted, email, isConfirmed: proven !== null });
}

interface Attempt {
  drop: Filedrop;
  key: string;
  submitted: SubmittedForm;
}

async function deliver(
  deps: HttpDeps,
  exchange: Exchange,
  attempt: Attempt & { email: string; isConfirmed: boolean },
  cookies: string[] = [],
): Promise<void> {
  const { drop, key, submitted, email, isConfirmed } = attempt;
  const caller = anonymousCaller(deps, exchange);
  const { name, subject, note } = textsOf(submitted);
  try {
    const { id } = await deliverToDrop(deps.ctx, caller, await requireDropKey(deps.ctx, caller, drop.name, key), {
      attachmentIds: submitted.attachmentIds,
      sender: { address: email, name, isConfirmed },
      subject,
      note,
    });
    const done = [...cookies, clearCookie(deps, cookieOf(deps, drop))];
    seeOther(exchange.response, deliveredUrl(deps, id), { 'set-cookie': done });
  } catch (error) {
    if (!(error instanceof Problem) || error.kind !== 'invalid') throw error;
    await showAgain(deps, exchange, attempt, { problems: [problemOf(deps, exchange, error)], cookies });
  }
}

function textsOf({ fields }: SubmittedForm) {
  const text = (field: string) => fields.get(field) ?? '';
  return { name: text('name'), subject: text('subject'), note: text('message') };
}

function problemOf(deps: HttpDeps, exchange: Exchange, problem: Problem): DropProblem {
  const field = fieldNames.find((name) => name === problem.field) ?? 'files';
  return { field, sentence: refusalText(problem, readerOf(deps, exchange.raw)) } as DropProblem;
}

async function showAgain(
  deps: HttpDeps,
  exchange: Exchange,
  attempt: Attempt,
  { problems, cookies = [] }: { problems: DropProblem[]; cookies?: string[] },
): Promise<void> {
  const kept: Kept = { ...keptSubmission(attempt.submitted, fieldNames), problems };
  // A script gets the page itself, since its cookie might be refused.
  if (!isScriptRequest(exchange) && redirectWith(deps, exchange.response, pathOf(attempt.drop), { kept, cookies }))
    return;
  const page = await dropPage(deps, exchange, attempt, problems);
  sendPage(deps, exchange, page, { headers: { 'set-cookie': cookies } });
}

/**
 * Delivers in the browser that holds the files. A browser that followed the mail's button shows the delivery first, so
 * that nothing is sent unseen.
 */
export async function deliverWaiting(deps: HttpDeps, exchange: Exchange, proven: ProvenSender): Promise<void> {
  const { dropName, address, dropKeyId, cookies } = proven;
  const drop = await findFiledrop(deps.ctx, dropName);
  const pending = drop === null || dropKeyId === null ? null : await findPendingOfKey(deps.ctx, drop, dropKeyId);
  const page = `${basePath(deps)}/filedrop/${encodeURIComponent(dropName)}`;
  const isOwn = drop !== null && readCookie(deps, exchange.raw, cookieOf(deps, drop)) === pending?.key;
  // Others could request a code for any address with an old button.
  const isForThem = isOwn || parseAddress(pending?.fields.email ?? '', { allowSingleLabel: true })?.address === address;
  if (drop === null || pending === null || !isForThem)
    return seeOther(exchange.response, page, { 'set-cookie': cookies });
  if (!pending.isOpen) {
    const receipt = await findDropReceipt(deps.ctx, pending.key, pending.attachmentIds);
    const location = receipt === null ? page : deliveredUrl(deps, receipt.id);
    return seeOther(exchange.response, location, { 'set-cookie': cookies });
  }
  if (proven.isElsewhere || !isOwn) {
    const keyCookie = setCookie(deps, cookieOf(deps, drop), pending.key, dropKeySeconds);
    return seeOther(exchange.response, page, { 'set-cookie': [...cookies, keyCookie] });
  }
  const attempt = { drop, key: pending.key, submitted: submittedOf(pending), email: address, isConfirmed: true };
  await deliver(deps, exchange, attempt, cookies);
}

function provenAt({ owner }: Filedrop, identity: Identity): string | null {
  const { provenAddresses, account } = acceptedIdentity(identity, owner.policy);
  return provenAddresses[0] ?? account?.address ?? null;
}

async function dropPage(
  deps: HttpDeps,
  exchange: Exchange,
  { drop, key, submitted, isWaiting = false }: Attempt & { isWaiting?: boolean },
  problems: DropProblem[],
): Promise<DropPage> {
  const visitor = await visitorOfPage(deps, exchange.raw);
  const provenAddress = provenAt(drop, visitor.identity);
  const action = `${basePath(deps)}${pathOf(drop)}`;
  const value = (field: string) => submitted.fields.get(field) ?? '';
  return {
    kind: 'drop',
    form: { action, hidden: { drop_key: key } },
    owner: drop.system === null ? { name: drop.label, address: null } : null,
    title: drop.system?.title ?? null,
    intro: drop.system?.intro ?? '',
    provenAddress,
    // A delivery from another browser needs one more click.
    isReadyToSend: isWaiting && provenAddress !== null && problems.length === 0,
    needsConfirmation: drop.policy.filedrop_confirm_sender,
    upload: {
      url: `${action}/keys/${key}/upload`,
      stateUrl: `${action}/keys/${key}/uploads/{id}`,
      csrf: null,
      firstUploadId: 'new',
      chunkSizeBytes: deps.ctx.settings.surroundings.chunkSizeBytes,
    },
    limits: limitsOf(deps, drop.policy, drop.policy.filedrop_max_size),
    received: await receivedFiles(deps, submitted, await findDropSource(deps.ctx, drop, key)),
    values: { email: value('email'), name: value('name'), subject: value('subject'), message: value('message') },
    problems,
  };
}

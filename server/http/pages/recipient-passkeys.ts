// Recipients prove their address with a passkey, and create and remove those of a proven address.
import type { RecipientPasskeysPage } from '#web/pages/identity-props.ts';
import type { PasskeyHint } from '#web/pages/props.ts';
import type { CodeTarget } from '../../actions/codes/code-targets.ts';
import { rememberDays } from '../../actions/codes/proving.ts';
import {
  type AddressPasskeys,
  addRecipientPasskey,
  findAddressPasskeys,
  findPasskeyOffer,
  isShared,
  proveWithPasskey,
  removeRecipientPasskey,
} from '../../actions/passkeys/recipient-passkeys.ts';
import { Problem } from '../../domain/problem.ts';
import { dateOf } from '../../lib/dates.ts';
import { nameOfAgent } from '../../lib/user-agent.ts';
import type { HttpDeps } from '../deps.ts';
import { anonymousCaller } from '../identity/credentials.ts';
import { readGuardedForm, sendPage } from '../identity/pre-session.ts';
import { nonceCookie, type PageVisitor, proofCookie, readToken } from '../identity/visits.ts';
import { readerOf } from '../transport/languages.ts';
import { refusalText } from '../transport/refusal-texts.ts';
import type { Exchange, Router } from '../transport/router.ts';
import { basePath } from '../transport/urls.ts';
import { otherAddressUrl, pathOf, readTarget } from './confirm-address.ts';
import { readFlash, redirectWith } from './flash.ts';
import { seeOther, setCookie } from './forms.ts';
import type { DeliverWaiting } from './verify.ts';

const listPath = '/verify/passkeys';

interface Kept {
  passkeyProblem: string;
}

export function serveRecipientPasskeys(deps: HttpDeps, router: Router, deliverWaiting: DeliverWaiting): void {
  router.page('GET', listPath, (exchange) => show(deps, exchange));
  router.page('POST', listPath, (exchange) => create(deps, exchange));
  router.page('POST', `${listPath}/remove`, (exchange) => remove(deps, exchange));
  router.page('POST', '/verify/passkey', (exchange) => use(deps, exchange, deliverWaiting));
}

function recipientPasskeysUrl(deps: HttpDeps, target: CodeTarget): string {
  return `${basePath(deps)}${listPath}?target=${encodeURIComponent(target)}`;
}

/** Offers passkeys where the visitor has proven this address. Shared computers keep none. */
export async function passkeyHint(
  deps: HttpDeps,
  target: CodeTarget,
  { proofs }: Pick<PageVisitor, 'proofs'>,
  address: string | null,
): Promise<PasskeyHint | null> {
  const proof = proofs.find((one) => one.address === address);
  if (proof === undefined || isShared(proof) || (await findPasskeyOffer(deps.ctx, target)) === null) return null;
  return { url: recipientPasskeysUrl(deps, target), hasPasskey: proof.hasPasskey };
}

async function use(deps: HttpDeps, exchange: Exchange, deliverWaiting: DeliverWaiting): Promise<void> {
  const form = await readGuardedForm(deps, exchange);
  const target = readTarget(form.get('target'));
  if (target === null) return seeOther(exchange.response, `${basePath(deps)}/verify`);
  const isForList = form.get('for') === 'list';
  const proofToken = readToken(deps, exchange.raw, proofCookie);
  const proven = await orShown(deps, exchange, { path: isForList ? listPath : '/verify', target }, () =>
    proveWithPasskey(deps.ctx, anonymousCaller(deps, exchange), {
      target,
      credential: form.get('credential') ?? '',
      proofToken,
      nonce: readToken(deps, exchange.raw, nonceCookie),
    }),
  );
  if (proven === null) return;
  // A known token keeps the addresses proven before.
  const lifetime = proven.proofToken === proofToken ? rememberDays * 86_400 : null;
  const cookies = [setCookie(deps, proofCookie, proven.proofToken, lifetime)];
  const { address, dropKeyId } = proven;
  if (target.startsWith('drop:') && !isForList)
    return deliverWaiting(exchange, {
      dropName: target.slice('drop:'.length),
      address,
      dropKeyId,
      isElsewhere: false,
      cookies,
    });
  const location = isForList ? recipientPasskeysUrl(deps, target) : `${basePath(deps)}${pathOf(target)}`;
  seeOther(exchange.response, location, { 'set-cookie': cookies });
}

/** Null if it was refused; the page that asked shows why. */
async function orShown<Done>(
  deps: HttpDeps,
  exchange: Exchange,
  { path, target }: { path: string; target: CodeTarget },
  run: () => Promise<Done>,
): Promise<Done | null> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.kind === 'unauthenticated') deps.meters.authFailed('passkey');
    const kept: Kept = { passkeyProblem: refusalText(error, readerOf(deps, exchange.raw)) };
    redirectWith(deps, exchange.response, `${path}?target=${encodeURIComponent(target)}`, { kept });
    return null;
  }
}

async function create(deps: HttpDeps, exchange: Exchange): Promise<void> {
  await change(deps, exchange, (form, target) => {
    const caller = anonymousCaller(deps, exchange);
    return addRecipientPasskey(deps.ctx, caller, {
      target,
      proofToken: readToken(deps, exchange.raw, proofCookie),
      address: form.get('address') ?? '',
      credential: form.get('credential') ?? '',
      name: nameOfAgent(caller.from.agent),
    });
  });
}

async function remove(deps: HttpDeps, exchange: Exchange): Promise<void> {
  await change(deps, exchange, (form) =>
    removeRecipientPasskey(deps.ctx, anonymousCaller(deps, exchange), {
      proofToken: readToken(deps, exchange.raw, proofCookie),
      address: form.get('address') ?? '',
      id: form.get('passkey') ?? '',
    }),
  );
}

async function change(
  deps: HttpDeps,
  exchange: Exchange,
  run: (form: URLSearchParams, target: CodeTarget) => Promise<void>,
): Promise<void> {
  const form = await readGuardedForm(deps, exchange);
  const target = readTarget(form.get('target'));
  if (target === null) return seeOther(exchange.response, `${basePath(deps)}/verify`);
  const isDone = await orShown(deps, exchange, { path: listPath, target }, async () => {
    await run(form, target);
    return true;
  });
  if (isDone === null) return;
  seeOther(exchange.response, recipientPasskeysUrl(deps, target));
}

async function show(deps: HttpDeps, exchange: Exchange): Promise<void> {
  const target = readTarget(new URLSearchParams(exchange.queryText).get('target'));
  if (target === null) return seeOther(exchange.response, `${basePath(deps)}/verify`);
  const { kept, cookies } = readFlash<Kept>(deps, exchange, listPath);
  const proofToken = readToken(deps, exchange.raw, proofCookie);
  const found = await findAddressPasskeys(deps.ctx, { proofToken, target });
  if (found === null) {
    const location = target.startsWith('drop:') ? otherAddressUrl(deps, target) : `${basePath(deps)}${pathOf(target)}`;
    return seeOther(exchange.response, location, { 'set-cookie': cookies });
  }
  const page = await listPage(deps, target, found);
  sendPage(
    deps,
    exchange,
    { ...page, problem: kept?.passkeyProblem ?? null },
    {
      headers: { 'set-cookie': cookies },
    },
  );
}

async function listPage(
  deps: HttpDeps,
  target: CodeTarget,
  { address, passkeys, standing, creation }: AddressPasskeys,
): Promise<Omit<RecipientPasskeysPage, 'problem'>> {
  const action = `${basePath(deps)}${listPath}`;
  const { timeZone } = deps.ctx.settings.surroundings;
  const offer = standing === 'use_passkey' ? await findPasskeyOffer(deps.ctx, target) : null;
  const usePath = `${basePath(deps)}/verify/passkey`;
  return {
    kind: 'recipient-passkeys',
    address,
    standing,
    backUrl: `${basePath(deps)}${pathOf(target)}`,
    confirmUrl: otherAddressUrl(deps, target),
    passkeys: passkeys.map(({ id, name, createdAt, lastUsedAt }) => ({
      id,
      name,
      createdOn: dateOf(createdAt, timeZone),
      lastUsedOn: lastUsedAt === null ? null : dateOf(lastUsedAt, timeZone),
      remove: standing === 'allowed' ? { action: `${action}/remove`, hidden: { target, address, passkey: id } } : null,
    })),
    creation:
      creation === null
        ? null
        : { form: { action, hidden: { target, address } }, passkey: { formAction: action, options: { ...creation } } },
    use:
      offer === null
        ? null
        : {
            form: { action: usePath, hidden: { target, for: 'list' } },
            passkey: { formAction: usePath, options: { ...offer.options } },
          },
  };
}

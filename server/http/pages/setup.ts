// The setup page exists until there is an administrator, and signs that user in.

import type { SetupField, SetupPage, SetupProblem } from '#web/pages/props.ts';
import { signInWithPassword } from '../../actions/sessions/sessions.ts';
import { completeSetup, isSetUp, listSetupFaults } from '../../actions/setup/setup.ts';
import { notFound, type Problem } from '../../domain/problem.ts';
import { MIN_PASSWORD_CHARS } from '../../lib/password-rules.ts';
import type { HttpDeps } from '../deps.ts';
import { anonymousCaller } from '../identity/credentials.ts';
import { sessionCookie, visitorOfPage } from '../identity/visits.ts';
import { readerOf } from '../transport/languages.ts';
import { refusalText } from '../transport/refusal-texts.ts';
import type { Exchange, Router } from '../transport/router.ts';
import { basePath, publicUrl } from '../transport/urls.ts';
import { readFlash, redirectWith } from './flash.ts';
import { readOwnForm, seeOther, setCookie } from './forms.ts';
import { serveSetupMail, setupMailPath } from './setup-mail.ts';

const donePath = '/setup/done';

interface KeptDone {
  apiKey: string;
}

export function serveSetup(deps: HttpDeps, router: Router): void {
  router.page('GET', '/', (exchange) => showFrontDoor(deps, exchange));

  router.page('GET', '/setup', async (exchange) => {
    await assertNotSetUp(deps);
    const token = new URLSearchParams(exchange.queryText).get('token') ?? '';
    deps.pages.send(exchange, setupPage(deps, { token, name: '', email: '', organisation: '' }, []));
  });

  router.page('POST', '/setup', async (exchange) => {
    const form = await readOwnForm(deps, exchange.raw, exchange.response);
    await assertNotSetUp(deps);
    await setUp(deps, exchange, form);
  });

  serveSetupMail(deps, router);
  router.page('GET', donePath, (exchange) => showDone(deps, exchange));
}

/** Signed-in users go to the app. */
async function showFrontDoor(deps: HttpDeps, exchange: Exchange): Promise<void> {
  const { user, restricted } = await visitorOfPage(deps, exchange.raw);
  if (user !== null || restricted !== null) return seeOther(exchange.response, `${basePath(deps)}/app`);
  deps.pages.send(exchange, {
    kind: 'home',
    setupUrl: (await isSetUp(deps.ctx)) ? null : `${basePath(deps)}/setup`,
    signInUrl: `${basePath(deps)}/sign-in`,
    apiUrl: deps.openapi === 'public' ? `${basePath(deps)}/docs/api` : null,
  });
}

/** The key is shown once; later visits lead to the app. */
async function showDone(deps: HttpDeps, exchange: Exchange): Promise<void> {
  const visitor = await visitorOfPage(deps, exchange.raw);
  const person = visitor.user ?? visitor.restricted?.user ?? null;
  const { kept, cookies } = readFlash<KeptDone>(deps, exchange, donePath);
  if (person === null || kept === null) return seeOther(exchange.response, `${basePath(deps)}/`);
  deps.pages.send(
    exchange,
    {
      kind: 'setup-done',
      apiKey: kept.apiKey,
      email: person.email,
      sendUrl: `${basePath(deps)}/app/send`,
      checklistUrl: `${basePath(deps)}/app/admin`,
      apiUrl: deps.openapi === 'off' ? null : `${basePath(deps)}/docs/api`,
      baseUrl: publicUrl(deps, ''),
      masterKeyFile: deps.setup.masterKeyFile,
    },
    { headers: { 'set-cookie': cookies } },
  );
}

async function assertNotSetUp(deps: HttpDeps): Promise<void> {
  if (await isSetUp(deps.ctx)) throw notFound('page', 'There’s nothing at this address.');
}

async function setUp(deps: HttpDeps, exchange: Exchange, form: URLSearchParams): Promise<void> {
  const value = (name: SetupField) => form.get(name) ?? '';
  const values = { token: value('token').trim(), name: value('name'), email: value('email').trim() };
  const shown = { ...values, organisation: value('organisation') };
  const password = value('password');
  const first = { name: values.name, email: values.email, password, organisationName: shown.organisation };
  const caller = anonymousCaller(deps, exchange);
  const missing = missingFields(value);
  const faults = await listSetupFaults(deps.ctx, caller, values.token === '' ? null : values.token, first);
  const others = faults.filter(({ field }) => !missing.some((problem) => problem.field === field));
  if (missing.length > 0 || others.length > 0) return sendFaults(deps, exchange, shown, { missing, others });
  const { apiKey } = await completeSetup(deps.ctx, caller, values.token, first);
  await deps.setup.done();
  const session = await signInWithPassword(deps.ctx, caller, { login: values.email, password, keep: false });
  const kept: KeptDone = { apiKey };
  redirectWith(deps, exchange.response, donePath, {
    kept,
    cookies: [setCookie(deps, sessionCookie, session.token)],
    ...(deps.mail.route.isReal ? {} : { via: setupMailPath }),
  });
}

function sendFaults(
  deps: HttpDeps,
  exchange: Exchange,
  values: Omit<SetupPage['values'], 'public_address'>,
  { missing, others }: { missing: SetupProblem[]; others: Problem[] },
): void {
  const reader = readerOf(deps, exchange.raw);
  const problems = others.map(
    (problem) => ({ field: problem.field ?? 'token', sentence: refusalText(problem, reader) }) as SetupProblem,
  );
  const limited = others.find(({ kind }) => kind === 'rate_limited');
  const isWrongToken = others.some(({ kind }) => kind === 'forbidden');
  deps.pages.send(exchange, setupPage(deps, values, [...missing, ...problems]), {
    status: limited !== undefined ? 429 : isWrongToken ? 403 : 422,
    ...(limited?.retryAfterSeconds === undefined
      ? {}
      : { headers: { 'retry-after': String(limited.retryAfterSeconds) } }),
  });
}

function missingFields(value: (name: SetupField) => string): SetupProblem[] {
  const needed = ['token', 'name', 'email', 'password', 'organisation'] as const;
  return needed.filter((field) => value(field).trim() === '').map((field) => ({ field, reason: 'missing' }));
}

function setupPage(
  deps: HttpDeps,
  values: Omit<SetupPage['values'], 'public_address'>,
  problems: SetupProblem[],
): SetupPage {
  return {
    kind: 'setup',
    form: { action: `${basePath(deps)}/setup` },
    tokenSource: deps.setup.tokenSource,
    minPasswordLength: MIN_PASSWORD_CHARS,
    values: { ...values, public_address: publicUrl(deps, '') },
    addressInUse: publicUrl(deps, ''),
    publicAddressSetBy: 'WAYBILL_BASE_URL',
    problems,
  };
}

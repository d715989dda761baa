// First run and the front door (experience A0). The setup page exists only until there is an administrator.

import type { SetupField, SetupPage, SetupProblem } from '#web/pages/props.ts';
import { completeSetup, isSetUp } from '../../actions/setup/setup.ts';
import { notFound, Problem } from '../../domain/problem.ts';
import { MIN_PASSWORD_CHARS } from '../../lib/password-rules.ts';
import { anonymousCaller } from '../credentials.ts';
import type { HttpDeps } from '../deps.ts';
import { readOwnForm } from '../forms.ts';
import type { Exchange, Router } from '../router.ts';
import { basePath, publicUrl } from '../urls.ts';

export function serveSetup(deps: HttpDeps, router: Router): void {
  router.page('GET', '/', async (exchange) => {
    const setupUrl = (await isSetUp(deps.ctx)) ? null : `${basePath(deps)}/setup`;
    deps.pages.send(exchange, { kind: 'home', setupUrl, signInUrl: null });
  });

  router.page('GET', '/setup', async (exchange) => {
    await demandNotSetUp(deps);
    deps.pages.send(exchange, setupPage(deps, { name: '', email: '', organisation: '' }, []));
  });

  router.page('POST', '/setup', async (exchange) => {
    const form = await readOwnForm(deps, exchange.raw, exchange.response);
    await demandNotSetUp(deps);
    await setUp(deps, exchange, form);
  });
}

async function demandNotSetUp(deps: HttpDeps): Promise<void> {
  if (await isSetUp(deps.ctx)) throw notFound('page', "There's nothing at this address.");
}

async function setUp(deps: HttpDeps, exchange: Exchange, form: URLSearchParams): Promise<void> {
  const value = (name: SetupField) => form.get(name) ?? '';
  const values = { name: value('name'), email: value('email'), organisation: value('organisation') };
  const missing = missingFields(value);
  if (missing.length > 0) {
    deps.pages.send(exchange, setupPage(deps, values, missing), { status: 422 });
    return;
  }
  const caller = anonymousCaller(deps, exchange);
  try {
    const { apiKey } = await completeSetup(deps.ctx, caller, value('token').trim(), {
      name: values.name,
      email: values.email.trim(),
      password: value('password'),
      organisationName: values.organisation,
    });
    await deps.setup.done();
    deps.pages.send(exchange, {
      kind: 'setup-done',
      apiKey,
      email: values.email.trim(),
      baseUrl: publicUrl(deps, ''),
      mailIsSetUp: false,
      masterKeyFile: deps.setup.masterKeyFile,
    });
  } catch (error) {
    if (!(error instanceof Problem) || error.kind === 'not_found') throw error;
    const field = (error.field ?? 'token') as SetupField;
    const status = error.kind === 'rate_limited' ? 429 : error.kind === 'forbidden' ? 403 : 422;
    deps.pages.send(exchange, setupPage(deps, values, [{ field, sentence: error.message } as SetupProblem]), {
      status,
      ...(error.retryAfterSeconds === undefined ? {} : { headers: { 'retry-after': String(error.retryAfterSeconds) } }),
    });
  }
}

function missingFields(value: (name: SetupField) => string): SetupProblem[] {
  const needed = ['token', 'name', 'email', 'password', 'organisation'] as const;
  return needed.filter((field) => value(field).trim() === '').map((field) => ({ field, reason: 'missing' }));
}

function setupPage(
  deps: HttpDeps,
  values: { name: string; email: string; organisation: string },
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

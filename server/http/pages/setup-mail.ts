// The step of the setup about mail: tests and saves the mail settings, or is skipped. Without scripts.
import type { SetupMailField, SetupMailPage } from '#web/pages/props.ts';
import { changeMailSettings, type MailSettingsInput } from '../../actions/mail/mail-settings.ts';
import { callerOf } from '../../actions/sessions/identities.ts';
import { Problem } from '../../domain/problem.ts';
import { isSystemAdministrator } from '../../domain/roles.ts';
import type { User } from '../../domain/users.ts';
import type { HttpDeps } from '../deps.ts';
import { originOf } from '../identity/origins.ts';
import { requireCsrf, visitorOfPage } from '../identity/visits.ts';
import { describeCheck } from '../transport/check-texts.ts';
import { readerOf } from '../transport/languages.ts';
import { refusalText } from '../transport/refusal-texts.ts';
import type { Exchange, Router } from '../transport/router.ts';
import { basePath } from '../transport/urls.ts';
import { extendFlash } from './flash.ts';
import { readOwnForm, seeOther } from './forms.ts';

export const setupMailPath = '/setup/mail';
const donePath = '/setup/done';
const secrets: readonly SetupMailField[] = ['password', 'client_secret', 'refresh_token'];
const fields: readonly SetupMailField[] = [
  'way',
  'host',
  'security',
  'port',
  'user',
  'token_url',
  'client_id',
  'from',
  ...secrets,
];

export function serveSetupMail(deps: HttpDeps, router: Router): void {
  router.page('GET', setupMailPath, async (exchange) => {
    const { user, csrf } = await visitorOfPage(deps, exchange.raw);
    if (user === null || !isOffered(deps, user)) return leave(deps, exchange);
    show(deps, exchange, { values: {}, csrf: csrf!, to: user.email });
  });
  router.page('POST', setupMailPath, async (exchange) => {
    const form = await readOwnForm(deps, exchange.raw, exchange.response);
    const visitor = await visitorOfPage(deps, exchange.raw);
    const { user, csrf, tokens } = visitor;
    if (user === null || !isOffered(deps, user)) return leave(deps, exchange);
    requireCsrf(deps, visitor, form.get('csrf'));
    const values = Object.fromEntries(fields.map((name) => [name, form.get(name)?.trim() ?? '']));
    try {
      const session = deps.ctx.keys.hash('session', tokens.session!);
      const caller = callerOf(user, originOf(deps, exchange), session);
      await changeMailSettings(deps.ctx, caller, deps.mail, inputOf(values));
      leave(deps, exchange);
    } catch (error) {
      if (!(error instanceof Problem) || error.kind !== 'invalid') throw error;
      for (const name of secrets) delete values[name];
      show(deps, exchange, { values, csrf: csrf!, to: user.email, problem: error });
    }
  });
}

/** Until mail works; afterwards the console has the settings. */
function isOffered(deps: HttpDeps, user: User): boolean {
  return isSystemAdministrator(user) && !deps.mail.route.isReal;
}

function leave(deps: HttpDeps, exchange: Exchange): void {
  seeOther(exchange.response, `${basePath(deps)}${donePath}`, { 'set-cookie': extendFlash(deps, exchange) });
}

function inputOf(values: Record<string, string>): MailSettingsInput {
  const { way, port } = values;
  const isGraph = way === 'graph';
  return {
    method: isGraph ? 'graph' : 'smtp',
    signIn: isGraph ? 'oauth' : way === 'oauth' || way === 'none' ? way : 'password',
    host: values.host,
    security: values.security === 'tls' ? 'tls' : 'starttls',
    port: portOf(port ?? '', values.security === 'tls' ? 465 : 587),
    user: values.user,
    password: values.password,
    tokenUrl: values.token_url,
    clientId: values.client_id,
    clientSecret: values.client_secret,
    refreshToken: values.refresh_token,
    from: values.from,
  };
}

function portOf(text: string, usual: number): number {
  return /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535 ? Number(text) : usual;
}

interface Shown {
  values: Partial<Record<SetupMailField, string>>;
  csrf: string;
  to: string;
  problem?: Problem;
}

function show(deps: HttpDeps, exchange: Exchange, { values, csrf, to, problem }: Shown): void {
  const reader = readerOf(deps, exchange.raw);
  const step = problem?.checks.find(({ state }) => state === 'failed');
  const described = step === undefined ? null : describeCheck(step, reader.locale);
  const page: SetupMailPage = {
    kind: 'setup-mail',
    form: { action: `${basePath(deps)}${setupMailPath}`, csrf },
    skipUrl: `${basePath(deps)}${donePath}`,
    to,
    values,
    problems:
      problem === undefined || described !== null
        ? []
        : [{ field: (problem.field ?? 'way') as SetupMailField, sentence: refusalText(problem, reader) }],
    failed:
      described === null ? null : { sentence: described.sentence, cure: described.cure ?? '', said: described.said },
  };
  deps.pages.send(exchange, page, { headers: { 'set-cookie': extendFlash(deps, exchange) } });
}

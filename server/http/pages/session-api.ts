// Signs a program on this computer in: it opens `/session/api` and gets its API key on a local port, or from the page.
import type { PairingPage } from '#web/pages/identity-props.ts';
import { createProgramKey } from '../../actions/pairings/pairings.ts';
import { callerOf } from '../../actions/sessions/identities.ts';
import { invalid } from '../../domain/problem.ts';
import type { HttpDeps } from '../deps.ts';
import { originOf } from '../identity/origins.ts';
import { sendPage } from '../identity/pre-session.ts';
import { requireCsrf, visitorOfPage } from '../identity/visits.ts';
import type { Exchange, Router } from '../transport/router.ts';
import { basePath } from '../transport/urls.ts';
import { readOwnForm, seeOther } from './forms.ts';

const path = '/session/api';

interface Agent {
  name: string;
  /** On this computer; null if the program reads the page. */
  port: number | null;
}

export function serveSessionApi(deps: HttpDeps, router: Router): void {
  router.page('GET', path, (exchange) => ask(deps, exchange));
  router.page('POST', path, (exchange) => answer(deps, exchange));
}

/** Never another host: only the port can be chosen. */
function readAgent(fields: URLSearchParams): Agent {
  const given = fields.get('agent_port') ?? '';
  const port = /^\d{4,5}$/.test(given) ? Number(given) : null;
  if (given !== '' && (port === null || port < 1024 || port > 65_535))
    throw invalid('pairing.bad_port', 'The port of the program must be a number from 1024 to 65535.', 'agent_port');
  const name = (fields.get('agent_name') ?? '').replace(/\p{C}/gu, '').trim().slice(0, 80);
  return { name: name === '' ? 'Program' : name, port };
}

function hiddenOf({ name, port }: Agent): Record<string, string> {
  return { agent_name: name, agent_port: port === null ? '' : String(port) };
}

async function ask(deps: HttpDeps, exchange: Exchange): Promise<void> {
  const agent = readAgent(new URLSearchParams(exchange.queryText));
  const visitor = await visitorOfPage(deps, exchange.raw);
  if (visitor.user === null) {
    const to = `${path}?${new URLSearchParams(hiddenOf(agent))}`;
    return seeOther(exchange.response, `${basePath(deps)}/sign-in?to=${encodeURIComponent(to)}`);
  }
  const form = { action: `${basePath(deps)}${path}`, csrf: visitor.csrf!, hidden: hiddenOf(agent) };
  const { address } = originOf(deps, exchange);
  const step = { is: 'confirm', form, name: agent.name, address, askedAt: deps.ctx.clock.now() } as const;
  sendPage(deps, exchange, { kind: 'pairing', email: visitor.user.email, step });
}

async function answer(deps: HttpDeps, exchange: Exchange): Promise<void> {
  const form = await readOwnForm(deps, exchange.raw, exchange.response);
  const agent = readAgent(form);
  const visitor = await visitorOfPage(deps, exchange.raw);
  const { user } = visitor;
  if (user === null) return seeOther(exchange.response, `${basePath(deps)}/sign-in`);
  requireCsrf(deps, visitor, form.get('csrf'));
  if (form.get('answer') !== 'allow')
    return sendPage(deps, exchange, { kind: 'pairing', email: user.email, step: { is: 'done', isAllowed: false } });
  const apiKey = await createProgramKey(deps.ctx, callerOf(user, originOf(deps, exchange)), agent.name);
  const handOver =
    agent.port === null ? null : { action: `http://localhost:${agent.port}/`, hidden: { api_key: apiKey } };
  const page: PairingPage = { kind: 'pairing', email: user.email, step: { is: 'key', apiKey, handOver } };
  sendPage(deps, exchange, page, handOver === null ? {} : { headers: formsTo(`http://localhost:${agent.port}`) });
}

/** The policy of this page alone also admits the program. */
function formsTo(origin: string): Record<string, string> {
  const policy = `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'`;
  return {
    'content-security-policy': `${policy}; form-action 'self' ${origin}; base-uri 'none'; frame-ancestors 'none'`,
  };
}

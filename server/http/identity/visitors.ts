// Facts about a visitor for the download log.
import type { IncomingMessage } from 'node:http';
import type { Visitor } from '../../domain/downloads.ts';
import { describeAgent } from '../../lib/user-agent.ts';
import type { HttpDeps } from '../deps.ts';
import { addressOf } from './origins.ts';

export function visitorOf(deps: HttpDeps, raw: IncomingMessage): Visitor {
  const address = addressOf(deps, raw);
  const agent = (raw.headers['user-agent'] ?? '').slice(0, 512);
  return { address, host: '', agent, ...describeAgent(agent), ...deps.geo.locate(address) };
}

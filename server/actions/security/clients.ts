// Counts the programs that call with an API key, by version and error.
import { addSightings, listSightings, type Sighting } from '../../db/system/client-sightings.ts';
import type { UserCaller } from '../../domain/caller.ts';
import { requireRight } from '../../domain/roles.ts';
import type { Ctx } from '../context.ts';

export interface ClientCounts {
  /** An empty `code` means success. */
  note(agent: string, code: string): void;
  flush(): Promise<void>;
}

/** Callers choose the agent, so the number of entries in memory is limited. */
const mostCounted = 200;

export function createClientCounts(ctx: Ctx): ClientCounts {
  let counts = new Map<string, Sighting>();
  return {
    note(agent, code) {
      const { client, version } = clientOf(agent);
      const key = `${client}\n${version}\n${code}`;
      const known = counts.get(key);
      if (known !== undefined) known.calls += 1;
      else if (counts.size < mostCounted) counts.set(key, { day: dayOf(ctx), client, version, code, calls: 1 });
    },
    async flush() {
      if (counts.size === 0) return;
      const waiting = [...counts.values()].toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
      counts = new Map();
      await ctx.db.write((tx) => addSightings(tx, waiting));
    },
  };
}

/** A fixed order, so that two processes cannot deadlock. */
function keyOf({ client, version, code }: Sighting): string {
  return `${client} ${version} ${code}`;
}

function dayOf(ctx: Ctx, agoDays = 0): string {
  return new Date(ctx.clock.now() - agoDays * 86_400_000).toISOString().slice(0, 10);
}

/** The first product of a user agent: `waybill/1.2.0 (linux)` gives `waybill`, `1.2.0`. */
export function clientOf(agent: string): { client: string; version: string } {
  const [, client = '', version = ''] = /^([A-Za-z][\w.+-]{0,39})(?:\/([\w.+-]{1,20}))?/.exec(agent.trim()) ?? [];
  return { client, version };
}

export interface SeenClient {
  client: string;
  version: string;
  calls: number;
  lastOn: string;
  errors: { code: string; calls: number }[];
}

const listedDays = 30;
const mostRows = 5000;

/** The last 30 days, most calls first. */
export async function listClients(ctx: Ctx, caller: UserCaller, counts: ClientCounts): Promise<SeenClient[]> {
  requireRight(caller, 'system.read');
  await counts.flush();
  const seen = new Map<string, SeenClient>();
  for (const { client, version, code, calls, day } of await listSightings(
    ctx.db.read,
    dayOf(ctx, listedDays),
    mostRows,
  )) {
    const key = `${client}\n${version}`;
    const known = seen.get(key) ?? { client, version, calls: 0, lastOn: day, errors: [] };
    known.calls += calls;
    const error = known.errors.find((one) => one.code === code);
    if (error !== undefined) error.calls += calls;
    else if (code !== '') known.errors.push({ code, calls });
    seen.set(key, known);
  }
  return [...seen.values()]
    .map((one) => ({ ...one, errors: one.errors.toSorted((a, b) => b.calls - a.calls) }))
    .toSorted((a, b) => b.calls - a.calls);
}

import { requireOpen } from '../../actions/system/maintenance.ts';
import type { HttpDeps } from '../deps.ts';
import { visitorOfPage } from '../identity/visits.ts';
import type { Exchange } from './router.ts';

const openPages = /^\/(sign-in|sign-out|forgot|dl|language|setup)(\/|$)/;

export function createPageGate(deps: HttpDeps): (exchange: Exchange) => Promise<void> {
  return async ({ raw }) => {
    if (deps.ctx.settings.current().maintenance === null) return;
    if (openPages.test(raw.url!.split('?', 1)[0]!)) return;
    const { user } = await visitorOfPage(deps, raw);
    requireOpen(deps.ctx, user);
  };
}

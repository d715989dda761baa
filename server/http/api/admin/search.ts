import { searchConsole } from '../../../actions/search/console-search.ts';
import type { Serve } from '../../endpoint.ts';

export function serveConsoleSearch(serve: Serve): void {
  serve('searchConsole', ({ ctx, caller, query }) => searchConsole(ctx, caller, query.q));
}

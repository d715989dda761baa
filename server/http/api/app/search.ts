import { search } from '../../../actions/search/search.ts';
import type { Serve } from '../../endpoint.ts';

export function serveSearch(serve: Serve): void {
  serve('search', ({ ctx, caller, query }) => search(ctx, caller, query.q));
}

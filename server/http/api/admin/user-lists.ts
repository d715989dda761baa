import { listPeople } from '../../../actions/users/lists.ts';
import type { Serve } from '../../endpoint.ts';

export function serveUserLists(serve: Serve): void {
  serve('listPeople', ({ ctx, caller, query }) => listPeople(ctx, caller, query));
}

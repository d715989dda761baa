import { decideMessage, listReviews } from '../../../actions/messages/reviews.ts';
import { getReferenced } from '../../../actions/transfers/transfers.ts';
import type { Serve } from '../../endpoint.ts';

export function serveReviews(serve: Serve): void {
  serve('listReviews', async ({ ctx, caller }) => ({ reviews: await listReviews(ctx, caller) }));
  serve('releaseMessage', async ({ ctx, caller, params, body }) => {
    const id = await getReferenced(ctx, params.id);
    await decideMessage(ctx, caller, id, { to: 'released', reason: body.review.reason });
  });
  serve('refuseMessage', async ({ ctx, caller, params, body }) => {
    const id = await getReferenced(ctx, params.id);
    await decideMessage(ctx, caller, id, { to: 'refused', reason: body.review.reason });
  });
}

import type { IncomingMessage } from 'node:http';
import { mayStillUpload } from '../../actions/uploads/uploads.ts';
import { BodyAborted } from '../../domain/ports.ts';
import type { HttpDeps } from '../deps.ts';

/** Streams of a disabled account end within 5 s; worst case: one missed poll. */
const pollMs = 2000;

/** Returns a function that stops polling. */
export function watchAccount({ ctx }: Pick<HttpDeps, 'ctx'>, raw: IncomingMessage, ownerId: string): () => void {
  const timer = setInterval(() => {
    mayStillUpload(ctx, ownerId)
      .then((isActive) => {
        if (!isActive) raw.destroy(new BodyAborted('the account was switched off'));
      })
      .catch((error: unknown) => ctx.log.warn({ err: String(error) }, 'a running upload could not be checked'));
  }, pollMs);
  timer.unref();
  return () => clearInterval(timer);
}

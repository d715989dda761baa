// Ends an upload that is running while the account it belongs to is switched off, on whichever process that happened:
// the body is cut within seconds instead of being refused at its end.
import type { IncomingMessage } from 'node:http';
import { mayStillUpload } from '../../actions/uploads/uploads.ts';
import { BodyAborted } from '../../domain/ports.ts';
import type { HttpDeps } from '../deps.ts';

/** An account that is switched off ends its streams within 5 s on every process: one look may just have been missed. */
const lookEveryMs = 2000;

/** Returns the function that stops looking. */
export function watchAccount({ ctx }: Pick<HttpDeps, 'ctx'>, raw: IncomingMessage, ownerId: string): () => void {
  const timer = setInterval(() => {
    mayStillUpload(ctx, ownerId)
      .then((isActive) => {
        if (!isActive) raw.destroy(new BodyAborted('the account was switched off'));
      })
      .catch((error: unknown) => ctx.log.warn({ err: String(error) }, 'a running upload could not be checked'));
  }, lookEveryMs);
  timer.unref();
  return () => clearInterval(timer);
}

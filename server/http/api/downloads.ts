// The download log, streamed.
import { encoderOf } from '#contract/codec.ts';
import { download } from '#contract/downloads.ts';
import { readDownloads, readLinkDownloads } from '../../actions/downloads/log.ts';
import { invalid } from '../../domain/problem.ts';
import { parseDateOrInstant } from '../../lib/dates.ts';
import { alreadySent, type Serve } from '../endpoint.ts';
import { sendList } from '../transport/answers.ts';

export const encodeDownload = encoderOf(download);

export function serveDownloads(serve: Serve): void {
  serve('listDownloads', async ({ ctx, caller, query, response, requestId }) => {
    const after = readAfter(query.after, ctx.settings.surroundings.timeZone);
    await sendList({ response, requestId }, 'downloads', readDownloads(ctx, caller, after), encodeDownload);
    return alreadySent;
  });

  serve('listLinkDownloads', async ({ ctx, caller, params, response, requestId }) => {
    await sendList(
      { response, requestId },
      'downloads',
      await readLinkDownloads(ctx, caller, params.id),
      encodeDownload,
    );
    return alreadySent;
  });
}

function readAfter(text: string | undefined, timeZone: string): number | null {
  if (text === undefined || text === '') return null;
  const instant = parseDateOrInstant(text, timeZone);
  if (instant === null)
    throw invalid('downloads.bad_after', 'The parameter "after" must be a date written as YYYY-MM-DD.', 'after');
  return instant;
}

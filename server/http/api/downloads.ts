import { encoderOf } from '#contract/codec.ts';
import { download } from '#contract/downloads.ts';
import { readDownloads, readLinkDownloads } from '../../actions/downloads/log.ts';
import { alreadySent, type Serve } from '../endpoint.ts';
import { sendList } from '../transport/answers.ts';
import { readInstant } from './instants.ts';

export const encodeDownload = encoderOf(download);

export function serveDownloads(serve: Serve): void {
  serve('listDownloads', async ({ ctx, caller, query, response, requestId }) => {
    const after = readInstant(ctx, query.after, { code: 'downloads.bad_after', name: 'after' });
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

// The download log, streamed.
import type { DownloadBody } from '#contract/downloads.ts';
import { readDownloads, readLinkDownloads } from '../../actions/downloads/log.ts';
import type { Download } from '../../domain/downloads.ts';
import { invalid } from '../../domain/problem.ts';
import { isoInstant, parseDateOrInstant } from '../../lib/dates.ts';
import { alreadySent, type Serve } from '../endpoint.ts';
import { sendList } from '../transport/answers.ts';

export function serveDownloads(serve: Serve): void {
  serve('listDownloads', async ({ ctx, caller, query, response, requestId }) => {
    const after = readAfter(query.after, ctx.settings.surroundings.timeZone);
    await sendList({ response, requestId }, 'downloads', readDownloads(ctx, caller, after), downloadBody);
    return alreadySent;
  });

  serve('listLinkDownloads', async ({ ctx, caller, params, response, requestId }) => {
    await sendList({ response, requestId }, 'downloads', await readLinkDownloads(ctx, caller, params.id), downloadBody);
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

export function downloadBody(entry: Download): DownloadBody {
  const seconds = entry.durationMs / 1000;
  return {
    id: entry.number,
    attachment_id: entry.attachmentId,
    message_id: entry.messageId,
    filelink_id: entry.linkId,
    filename: entry.fileName,
    size: entry.sizeBytes,
    content_type: entry.contentType,
    checksum: entry.sha256,
    crc32: entry.crc32,
    downloaded_at: isoInstant(entry.downloadedAt),
    user_id: entry.ownerId,
    recipient: entry.recipient,
    remote_ip: entry.address,
    // "Remote host followed by the IP address in parentheses"; an unknown host is told by its address (docs/adr/0014).
    remote_host: `${entry.host === '' ? entry.address : entry.host} (${entry.address})`,
    download_time: seconds.toFixed(3),
    download_speed: entry.durationMs === 0 ? entry.sentBytes * 1000 : Math.round(entry.sentBytes / seconds),
    location: entry.location,
    user_agent: entry.agent,
    browser: entry.browser,
    os: entry.os,
    platform: entry.platform,
    longitude: entry.longitude,
    latitude: entry.latitude,
    country_code: entry.countryCode,
    country_name: entry.countryName,
    city: entry.city,
    region_code: entry.regionCode,
    region_name: entry.regionName,
  };
}

// The download log: filtered pages, sums, and a streamed export.
import { wireShape } from '#contract/codec.ts';
import { download } from '#contract/downloads.ts';
import { findNames } from '../../../actions/contacts/names.ts';
import { listLog, readLog } from '../../../actions/downloads/log.ts';
import { resolveLogQuery } from '../../../actions/downloads/slices.ts';
import { getLogStatistics } from '../../../actions/downloads/statistics.ts';
import type { Download } from '../../../domain/downloads.ts';
import { alreadySent, type Serve } from '../../endpoint.ts';
import { sendCsv, sendJsonFile } from '../../transport/exports.ts';
import { encodeDownload } from '../downloads.ts';

const table = {
  columns: Object.keys(wireShape(download)),
  cells: (line: Download) => Object.values(encodeDownload(line)) as (string | number)[],
};

export function serveAppLog(serve: Serve): void {
  serve('listAppLog', async ({ ctx, caller, query: { page, size, order, ...choice } }) => {
    const listed = await listLog(ctx, caller, resolveLogQuery(ctx, choice), { page, size, order });
    const people = listed.items.map(({ recipient }) => recipient);
    return { ...listed, names: await findNames(ctx, caller, people) };
  });

  serve('getAppLogFigures', async ({ deps, ctx, caller, query }) => ({
    figures: { ...(await getLogStatistics(ctx, caller, resolveLogQuery(ctx, query))), hasLocations: deps.geo.hasData },
  }));

  serve('exportAppLog', async ({ ctx, caller, query: { format, ...choice }, response, requestId }) => {
    const wanted = resolveLogQuery(ctx, choice);
    const pages = readLog(ctx, caller, wanted);
    const name = `downloads-${wanted.firstDay}-${wanted.lastDay}`;
    if (format === 'csv') await sendCsv({ response, requestId }, name, pages, table);
    else await sendJsonFile({ response, requestId }, { name, list: 'downloads' }, pages, encodeDownload);
    return alreadySent;
  });
}

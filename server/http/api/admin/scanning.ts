import {
  deleteQuarantined,
  getScannerStatus,
  listQuarantine,
  releaseQuarantined,
} from '../../../actions/scanning/quarantine.ts';
import type { Serve } from '../../endpoint.ts';

export function serveScanning(serve: Serve): void {
  serve('getScanner', async ({ ctx, caller }) => ({ scanner: await getScannerStatus(ctx, caller) }));
  serve('listQuarantine', async ({ ctx, caller }) => ({ quarantine: await listQuarantine(ctx, caller) }));
  serve('releaseQuarantined', ({ ctx, caller, params, body }) =>
    releaseQuarantined(ctx, caller, params.id, body.release),
  );
  serve('deleteQuarantined', ({ ctx, caller, params }) => deleteQuarantined(ctx, caller, params.id));
}

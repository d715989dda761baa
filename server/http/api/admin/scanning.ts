import {
  deleteQuarantined,
  getScannerStatus,
  listQuarantine,
  releaseQuarantined,
} from '../../../actions/scanning/quarantine.ts';
import {
  changeScannerSettings,
  removeScannerSettings,
  testScannerSettings,
} from '../../../actions/scanning/scanner-settings.ts';
import type { Serve } from '../../endpoint.ts';
import { describeChecks } from '../../transport/check-texts.ts';

export function serveScanning(serve: Serve): void {
  serve('getScanner', async ({ ctx, caller }) => ({ scanner: await getScannerStatus(ctx, caller) }));
  serve('changeScannerSettings', async ({ ctx, caller, body }) => {
    await changeScannerSettings(ctx, caller, body.scannerSettings);
    return { scanner: await getScannerStatus(ctx, caller) };
  });
  serve('removeScannerSettings', async ({ ctx, caller }) => {
    await removeScannerSettings(ctx, caller);
    return { scanner: await getScannerStatus(ctx, caller) };
  });
  serve('testScanner', async ({ ctx, deps, caller, raw, body }) => {
    const { version, steps } = await testScannerSettings(ctx, caller, body.scannerSettings);
    return { scannerTest: { version, steps: describeChecks(deps, raw, steps) } };
  });
  serve('listQuarantine', async ({ ctx, caller }) => ({ quarantine: await listQuarantine(ctx, caller) }));
  serve('releaseQuarantined', ({ ctx, caller, params, body }) =>
    releaseQuarantined(ctx, caller, params.id, body.release),
  );
  serve('deleteQuarantined', ({ ctx, caller, params }) => deleteQuarantined(ctx, caller, params.id));
}

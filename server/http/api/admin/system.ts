import { probeAnswer } from '#contract/admin/system.ts';
import { encoderOf } from '#contract/codec.ts';
import { type Arrived, isProbeToken, testConnection } from '../../../actions/system/connection-test.ts';
import { beginMaintenance, endMaintenance } from '../../../actions/system/maintenance.ts';
import { findBackupState, listAllJobs, runJobNow, supportText } from '../../../actions/system/system.ts';
import { notFound } from '../../../domain/problem.ts';
import { alreadySent, type Serve } from '../../endpoint.ts';
import { jsonHeaders } from '../../transport/answers.ts';
import { sendContinue } from '../../transport/body.ts';
import { describeChecks } from '../../transport/check-texts.ts';

const encodeProbe = encoderOf(probeAnswer);

export function serveSystem(serve: Serve): void {
  serve('getSystem', async ({ ctx, deps, caller }) => {
    const { system } = deps;
    const { version, baseUrl } = ctx.settings.surroundings;
    const { maintenance } = ctx.settings.current();
    const backups = await findBackupState(ctx, caller, system);
    const inForce = { settings: [...system.settings], maintenance, licences: system.licences() };
    return { system: { ...system, ...inForce, version, baseUrl, backups } };
  });
  serve('testConnection', async ({ ctx, deps, caller, raw }) => {
    const { url, checks } = await testConnection(ctx, caller, readProbeReport);
    return { connectionTest: { url, checks: describeChecks(deps, raw, checks) } };
  });
  serve('getSupportText', async ({ ctx, deps, caller }) => ({
    support: { text: await supportText(ctx, caller, deps.system) },
  }));
  serve('listJobs', async ({ ctx, deps, caller }) => ({ jobs: await listAllJobs(ctx, caller, deps.system) }));
  serve('runJob', async ({ ctx, deps, caller, params, body }) => ({
    job: await runJobNow(ctx, caller, deps.system, { name: params.name, ...body.run }),
  }));
  serve('beginMaintenance', async ({ ctx, caller, body }) => {
    const { message, until = null } = body.maintenance;
    return { maintenance: await beginMaintenance(ctx, caller, { message, until }) };
  });
  serve('endMaintenance', ({ ctx, caller }) => endMaintenance(ctx, caller));
  serveProbe(serve);
}

const maxProbeBytes = 64 * 1024;

/** Replies with the first byte of the body, which shows whether a proxy buffers bodies. */
function serveProbe(serve: Serve): void {
  serve('probeConnection', async ({ ctx, deps, params, raw, response, requestId }) => {
    if (!isProbeToken(ctx, params.token)) throw notFound('page', 'There’s nothing at this address.');
    sendContinue(raw, response);
    const { remoteAddress: peer = '', remotePort: peerPort = 0 } = raw.socket;
    const { host = '', 'x-forwarded-for': forwarded } = raw.headers;
    let size = 0;
    raw.on('data', (chunk: Buffer) => {
      if (!response.headersSent) {
        response.writeHead(200, { ...jsonHeaders, 'x-request-id': requestId, 'x-accel-buffering': 'no' });
        response.write('\n');
      }
      size += chunk.length;
      if (size > maxProbeBytes) raw.destroy();
    });
    raw.once('end', () => {
      const forwardedFor = forwarded === undefined ? null : String(forwarded);
      const isPeerTrusted = deps.trustProxy.contains(peer);
      const probe = { host, forwardedFor, peer, peerPort, isPeerTrusted, size };
      response.end(JSON.stringify(encodeProbe({ probe })));
    });
    return alreadySent;
  });
}

/** Null if the response is not from our probe. */
export function readProbeReport(body: string): Arrived | null {
  try {
    return probeAnswer.parse(JSON.parse(body)).probe;
  } catch {
    return null;
  }
}

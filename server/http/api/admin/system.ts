// The installation itself, for System Administrators, and the probe that the connection test sends its requests to.
import type { z } from 'zod';
import { type job, probeAnswer } from '#contract/admin/system.ts';
import { type Arrived, isProbeToken, testConnection } from '../../../actions/system/connection-test.ts';
import { beginMaintenance, endMaintenance } from '../../../actions/system/maintenance.ts';
import {
  type BackupState,
  findBackupState,
  type JobState,
  listAllJobs,
  runJobNow,
  supportText,
} from '../../../actions/system/system.ts';
import type { BackupRun } from '../../../domain/backups.ts';
import type { Maintenance } from '../../../domain/maintenance.ts';
import { notFound } from '../../../domain/problem.ts';
import { alreadySent, type Serve } from '../../endpoint.ts';
import { jsonHeaders } from '../../transport/answers.ts';
import { invite } from '../../transport/body.ts';
import { checkBodies } from '../../transport/check-texts.ts';
import { settingBody } from './mail-delivery.ts';

export function serveSystem(serve: Serve): void {
  serve('getSystem', async ({ ctx, deps, caller }) => {
    const { system } = deps;
    const { maintenance } = ctx.settings.current();
    return {
      system: {
        version: ctx.settings.surroundings.version,
        node: system.node,
        platform: system.platform,
        database: system.database,
        storage: system.storage,
        running_since: wireTime(system.startedAt),
        public_url: ctx.settings.surroundings.baseUrl,
        settings: system.settings.map(settingBody),
        maintenance: maintenance === null ? null : maintenanceBody(maintenance),
        backups: backupsBody(await findBackupState(ctx, caller, system)),
        licences: system.licences().map(({ name, version, licence }) => ({ name, version, licence })),
      },
    };
  });
  serve('testConnection', async ({ ctx, deps, caller, raw }) => {
    const { url, checks } = await testConnection(ctx, caller, readArrived);
    return { connection_test: { url, checks: checkBodies(deps, raw, checks) } };
  });
  serve('getSupportText', async ({ ctx, deps, caller }) => ({
    support: { text: await supportText(ctx, caller, deps.system) },
  }));
  serve('listJobs', async ({ ctx, deps, caller }) => ({
    jobs: (await listAllJobs(ctx, caller, deps.system)).map(jobBody),
  }));
  serve('runJob', async ({ ctx, deps, caller, params, body }) => {
    const wanted = { name: params.name, isConfirmed: body.run.is_confirmed === true };
    return { job: jobBody(await runJobNow(ctx, caller, deps.system, wanted)) };
  });
  serve('beginMaintenance', async ({ ctx, caller, body }) => {
    const { message = '', until } = body.maintenance;
    const input = { message, until: until === undefined ? null : Date.parse(until) };
    return { maintenance: maintenanceBody(await beginMaintenance(ctx, caller, input)) };
  });
  serve('endMaintenance', ({ ctx, caller }) => endMaintenance(ctx, caller));
  serveProbe(serve);
}

const mostProbeBytes = 64 * 1024;

/** Begins its reply with the first byte of the body, so that the caller sees whether bodies are passed on as they come. */
function serveProbe(serve: Serve): void {
  serve('probeConnection', async ({ ctx, deps, params, raw, response, requestId }) => {
    if (!isProbeToken(ctx, params.token)) throw notFound('page', 'There’s nothing at this address.');
    invite(raw, response);
    const { remoteAddress: peer = '', remotePort: peer_port = 0 } = raw.socket;
    const { host = '', 'x-forwarded-for': forwarded } = raw.headers;
    let size = 0;
    raw.on('data', (chunk: Buffer) => {
      if (!response.headersSent) {
        response.writeHead(200, { ...jsonHeaders, 'x-request-id': requestId, 'x-accel-buffering': 'no' });
        response.write('\n');
      }
      size += chunk.length;
      if (size > mostProbeBytes) raw.destroy();
    });
    raw.once('end', () => {
      const forwarded_for = forwarded === undefined ? null : String(forwarded);
      const is_peer_trusted = deps.trustProxy.contains(peer);
      response.end(JSON.stringify({ probe: { host, forwarded_for, peer, peer_port, is_peer_trusted, size } }));
    });
    return alreadySent;
  });
}

/** Null for an answer that is not that of our probe. */
export function readArrived(body: string): Arrived | null {
  try {
    const { probe } = probeAnswer.parse(JSON.parse(body));
    return {
      host: probe.host,
      forwardedFor: probe.forwarded_for,
      peer: probe.peer,
      peerPort: probe.peer_port,
      isPeerTrusted: probe.is_peer_trusted,
    };
  } catch {
    return null;
  }
}

function maintenanceBody({ message, until, since }: Maintenance) {
  return { message, until: until === null ? null : wireTime(until), since: wireTime(since) };
}

function backupsBody({ isScheduled, lastBackup, lastGoodBackup, lastDrill }: BackupState) {
  return {
    is_scheduled: isScheduled,
    last_backup: lastBackup === null ? null : runBody(lastBackup),
    last_good_backup: lastGoodBackup === null ? null : runBody(lastGoodBackup),
    last_drill: lastDrill === null ? null : runBody(lastDrill),
  };
}

function runBody({ startedAt, finishedAt, failure, snapshotId, files, bytes }: BackupRun) {
  return {
    started_at: wireTime(startedAt),
    finished_at: wireTime(finishedAt),
    failure: failure ?? '',
    snapshot: snapshotId,
    files,
    bytes,
  };
}

function jobBody(state: JobState): z.input<typeof job> {
  return {
    name: state.name,
    every_seconds: Math.round(state.everyMs / 1000),
    is_running: state.isRunning,
    last_run_at: state.lastRunAt === null ? null : wireTime(state.lastRunAt),
    took_ms: state.tookMs,
    note: state.note,
    held_because: state.heldBecause,
    failures: state.failures,
    failed_at: state.failedAt === null ? null : wireTime(state.failedAt),
    failure: state.failure,
  };
}

function wireTime(instant: number): string {
  return new Date(instant).toISOString();
}

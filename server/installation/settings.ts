// Settings of administrators, from the database, with the operator's configuration.
import type { Config } from '../config.ts';
import { servicesFromEnvironment } from '../config-identity.ts';
import type { LockedDb } from '../db/schema/schema.ts';
import { findSettings } from '../db/system/settings.ts';
import {
  defaultSettings,
  type ScannerSetup,
  type Settings,
  type SettingsSource,
  type Surroundings,
} from '../domain/settings.ts';
import { version } from '../lib/version.ts';

export async function openSettings(db: LockedDb, surroundings: Surroundings): Promise<SettingsSource> {
  let settings: Settings = defaultSettings;
  let version = -1;
  const source: SettingsSource = {
    surroundings,
    current: () => settings,
    async refresh() {
      const found = await findSettings(db.read);
      if (found === undefined || found.version === version) return;
      ({ settings, version } = found);
    },
  };
  await source.refresh();
  return source;
}

export function surroundingsOf(config: Config): Surroundings {
  return {
    baseUrl: config.baseUrl.href.replace(/\/$/, ''),
    timeZone: config.timeZone,
    locale: config.locale,
    chunkSizeBytes: config.chunkSizeBytes,
    maxChunkSizeBytes: config.maxChunkSizeBytes,
    formUploadMaxBytes: config.formUploadMaxBytes,
    unfinishedTtlMs: config.unfinishedTtlMs,
    deleteGraceMs: config.deleteGraceMs,
    keptBackups:
      config.backupDir === null ? null : { keepDays: config.backupKeepDays, keepWeeks: config.backupKeepWeeks },
    isEvidencePublic: config.isEvidencePublic,
    witnessPolicy: config.witnessPolicy,
    apiRatePerMinute: config.apiRatePerMinute,
    signInServices: servicesFromEnvironment(config),
    passwordSignIn: config.passwordSignIn,
    scim: { token: config.scimToken, service: config.scimService },
    scanner: scannerOf(config),
    version,
    eventReceivers: {
      webhookNetworks: config.webhookNetworks,
      syslog:
        config.syslogUrl === null
          ? null
          : { url: config.syslogUrl, format: config.syslogFormat, certificates: config.syslogCaFile },
      file: config.eventsFile,
    },
  };
}

/** Null if the environment sets none up. */
export function scannerOf({ scanner, scannerCaFile, scannerTimeoutMs }: Config): ScannerSetup | null {
  if (scanner === null) return null;
  return { address: scanner, certificates: scannerCaFile, timeoutMs: scannerTimeoutMs };
}

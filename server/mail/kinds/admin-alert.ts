// Asks administrators to act. Each topic has a cause, numbers and a link.
import type { Fact } from '../blocks.ts';
import type { Words } from '../text.ts';
import type { EveryMail, Kind } from './kind.ts';
import { sampleReference } from './samples.ts';

export type AlertTopic =
  | {
      topic: 'storage-full';
      percentUsed: number;
      usedBytes: number;
      totalBytes: number;
      /** `YYYY-MM-DD` at the present growth; null if it does not grow. */
      fullOn: string | null;
    }
  | { topic: 'storage-trouble'; detail: string }
  | { topic: 'mail-waiting'; mailCount: number; oldestAt: number; serverText: string }
  /** Permanent refusals of the last 24 hours. */
  | { topic: 'mail-refused'; mailCount: number; serverText: string }
  | { topic: 'jobs-failing'; jobs: { name: string; failure: string }[] }
  /** The safety limit has paused erasing. */
  | { topic: 'erasing-paused'; detail: string }
  | { topic: 'clock-wrong'; detail: string }
  | { topic: 'backup-failed'; detail: string }
  | { topic: 'drill-failed'; detail: string };

export type AdminAlertPayload = EveryMail & AlertTopic & { url: string };

interface Alert {
  summary: string;
  explanation: string;
  facts: Fact[];
  button: string;
}

export const adminAlertKind: Kind<AdminAlertPayload> = {
  headerClass: 'alert',
  traits: [],
  defaults: { subject: 'mail.alertSubject', intro: 'mail.alertIntro', closing: null },
  sample: {
    reference: sampleReference,
    topic: 'storage-full',
    percentUsed: 90,
    usedBytes: 1_979_120_930_000,
    totalBytes: 2_199_023_255_552,
    fullOn: '2026-12-06',
    url: 'https://files.northlight.example/app/admin/storage',
  },
  compose(payload, words, sender) {
    const alert = describe(payload, words);
    return {
      variables: { summary: alert.summary, explanation: alert.explanation },
      heading: alert.summary,
      preheader: alert.explanation,
      why: words.say('mail.alertWhy', { ...sender }),
      blocks: [
        { type: 'facts', facts: alert.facts },
        { type: 'button', label: alert.button, url: payload.url },
      ],
    };
  },
};

function describe(payload: AlertTopic, words: Words): Alert {
  switch (payload.topic) {
    case 'storage-full':
      return storageFull(payload, words);
    case 'storage-trouble':
      return {
        summary: words.say('mail.alertStore'),
        explanation: words.say('mail.alertStoreText'),
        facts: [{ label: words.say('mail.labelCause'), value: payload.detail }],
        button: words.say('mail.alertStorageButton'),
      };
    case 'mail-waiting':
      return {
        summary: words.say('mail.alertMail', { mailCount: payload.mailCount }),
        explanation: words.say('mail.alertMailText'),
        facts: [
          { label: words.say('mail.labelOldest'), value: words.time(payload.oldestAt) },
          { label: words.say('mail.labelServerSaid'), value: payload.serverText },
        ],
        button: words.say('mail.alertMailButton'),
      };
    case 'mail-refused':
      return {
        summary: words.say('mail.alertRefused', { mailCount: payload.mailCount }),
        explanation: words.say('mail.alertRefusedText'),
        facts: [{ label: words.say('mail.labelServerSaid'), value: payload.serverText }],
        button: words.say('mail.alertMailButton'),
      };
    case 'jobs-failing':
      return {
        summary: words.say('mail.alertJobs', { jobCount: payload.jobs.length }),
        explanation: words.say('mail.alertJobsText'),
        facts: payload.jobs.map(({ name, failure }) => ({ label: name, value: failure })),
        button: words.say('mail.alertJobsButton'),
      };
    case 'erasing-paused':
      return {
        summary: words.say('mail.alertErasing'),
        explanation: words.say('mail.alertErasingText'),
        facts: [{ label: words.say('mail.labelCause'), value: payload.detail }],
        button: words.say('mail.alertErasingButton'),
      };
    case 'clock-wrong':
      return {
        summary: words.say('mail.alertClock'),
        explanation: words.say('mail.alertClockText'),
        facts: [{ label: words.say('mail.labelCause'), value: payload.detail }],
        button: words.say('mail.alertClockButton'),
      };
    case 'backup-failed':
    case 'drill-failed':
      return backupFailed(payload, words);
  }
}

function backupFailed(payload: Extract<AlertTopic, { topic: `${string}-failed` }>, words: Words): Alert {
  const isBackup = payload.topic === 'backup-failed';
  return {
    summary: words.say(isBackup ? 'mail.alertBackup' : 'mail.alertDrill'),
    explanation: words.say(isBackup ? 'mail.alertBackupText' : 'mail.alertDrillText'),
    facts: [{ label: words.say('mail.labelCause'), value: payload.detail }],
    button: words.say('mail.alertClockButton'),
  };
}

function storageFull(payload: Extract<AlertTopic, { topic: 'storage-full' }>, words: Words): Alert {
  const used = words.say('mail.alertUsed', {
    used: words.size(payload.usedBytes),
    total: words.size(payload.totalBytes),
  });
  const facts: Fact[] = [{ label: words.say('mail.labelUsed'), value: used }];
  if (payload.fullOn !== null) facts.push({ label: words.say('mail.labelFullOn'), value: words.date(payload.fullOn) });
  return {
    summary: words.say('mail.alertStorage', { percent: payload.percentUsed }),
    explanation: words.say('mail.alertStorageText'),
    facts,
    button: words.say('mail.alertStorageButton'),
  };
}

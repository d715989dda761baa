import type { Fact } from '../blocks.ts';
import type { Texts } from '../text.ts';
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
  | { topic: 'drill-failed'; detail: string }
  | { topic: 'events-unsealed'; detail: string };

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
  compose(payload, texts, sender) {
    const alert = describe(payload, texts);
    return {
      variables: { summary: alert.summary, explanation: alert.explanation },
      heading: alert.summary,
      preheader: alert.explanation,
      why: texts.say('mail.alertWhy', { ...sender }),
      blocks: [
        { type: 'facts', facts: alert.facts },
        { type: 'button', label: alert.button, url: payload.url },
      ],
    };
  },
};

function describe(payload: AlertTopic, texts: Texts): Alert {
  switch (payload.topic) {
    case 'storage-full':
      return storageFull(payload, texts);
    case 'storage-trouble':
      return {
        summary: texts.say('mail.alertStore'),
        explanation: texts.say('mail.alertStoreText'),
        facts: [{ label: texts.say('mail.labelCause'), value: payload.detail }],
        button: texts.say('mail.alertStorageButton'),
      };
    case 'mail-waiting':
      return {
        summary: texts.say('mail.alertMail', { mailCount: payload.mailCount }),
        explanation: texts.say('mail.alertMailText'),
        facts: [
          { label: texts.say('mail.labelOldest'), value: texts.time(payload.oldestAt) },
          { label: texts.say('mail.labelServerSaid'), value: payload.serverText },
        ],
        button: texts.say('mail.alertMailButton'),
      };
    case 'mail-refused':
      return {
        summary: texts.say('mail.alertRefused', { mailCount: payload.mailCount }),
        explanation: texts.say('mail.alertRefusedText'),
        facts: [{ label: texts.say('mail.labelServerSaid'), value: payload.serverText }],
        button: texts.say('mail.alertMailButton'),
      };
    case 'jobs-failing':
      return {
        summary: texts.say('mail.alertJobs', { jobCount: payload.jobs.length }),
        explanation: texts.say('mail.alertJobsText'),
        facts: payload.jobs.map(({ name, failure }) => ({ label: name, value: failure })),
        button: texts.say('mail.alertJobsButton'),
      };
    case 'erasing-paused':
      return {
        summary: texts.say('mail.alertErasing'),
        explanation: texts.say('mail.alertErasingText'),
        facts: [{ label: texts.say('mail.labelCause'), value: payload.detail }],
        button: texts.say('mail.alertErasingButton'),
      };
    case 'clock-wrong':
      return {
        summary: texts.say('mail.alertClock'),
        explanation: texts.say('mail.alertClockText'),
        facts: [{ label: texts.say('mail.labelCause'), value: payload.detail }],
        button: texts.say('mail.alertClockButton'),
      };
    case 'events-unsealed':
      return {
        summary: texts.say('mail.alertSealing'),
        explanation: texts.say('mail.alertSealingText'),
        facts: [{ label: texts.say('mail.labelCause'), value: payload.detail }],
        button: texts.say('mail.alertClockButton'),
      };
    case 'backup-failed':
    case 'drill-failed':
      return backupFailed(payload, texts);
  }
}

function backupFailed(payload: Extract<AlertTopic, { topic: `${string}-failed` }>, texts: Texts): Alert {
  const isBackup = payload.topic === 'backup-failed';
  return {
    summary: texts.say(isBackup ? 'mail.alertBackup' : 'mail.alertDrill'),
    explanation: texts.say(isBackup ? 'mail.alertBackupText' : 'mail.alertDrillText'),
    facts: [{ label: texts.say('mail.labelCause'), value: payload.detail }],
    button: texts.say('mail.alertClockButton'),
  };
}

function storageFull(payload: Extract<AlertTopic, { topic: 'storage-full' }>, texts: Texts): Alert {
  const used = texts.say('mail.alertUsed', {
    used: texts.size(payload.usedBytes),
    total: texts.size(payload.totalBytes),
  });
  const facts: Fact[] = [{ label: texts.say('mail.labelUsed'), value: used }];
  if (payload.fullOn !== null) facts.push({ label: texts.say('mail.labelFullOn'), value: texts.date(payload.fullOn) });
  return {
    summary: texts.say('mail.alertStorage', { percent: payload.percentUsed }),
    explanation: texts.say('mail.alertStorageText'),
    facts,
    button: texts.say('mail.alertStorageButton'),
  };
}

import type { Fact } from '../blocks.ts';
import type { MailTextKey, Texts } from '../text.ts';
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
  | { topic: 'events-unsealed'; detail: string }
  | { topic: 'witness-failing'; detail: string }
  | { topic: 'stream-failing'; detail: string }
  | { topic: 'certificate-expiring'; detail: string }
  /** Secrets and certificates of sign-in services. */
  | { topic: 'credential-ending'; detail: string }
  /** Directories, or SCIM, that would change many people. */
  | { topic: 'sync-stopped'; detail: string; services: string }
  | { topic: 'webhook-off'; detail: string };

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

type DetailTopic = Extract<AlertTopic, { detail: string }>['topic'];

/** Alerts whose only fact is their cause: summary, explanation and button. */
const causes: Record<DetailTopic, readonly [MailTextKey, MailTextKey, MailTextKey]> = {
  'storage-trouble': ['mail.alertStore', 'mail.alertStoreText', 'mail.alertStorageButton'],
  'erasing-paused': ['mail.alertErasing', 'mail.alertErasingText', 'mail.alertClockButton'],
  'clock-wrong': ['mail.alertClock', 'mail.alertClockText', 'mail.alertClockButton'],
  'backup-failed': ['mail.alertBackup', 'mail.alertBackupText', 'mail.alertClockButton'],
  'drill-failed': ['mail.alertDrill', 'mail.alertDrillText', 'mail.alertClockButton'],
  'events-unsealed': ['mail.alertSealing', 'mail.alertSealingText', 'mail.alertClockButton'],
  'witness-failing': ['mail.alertWitness', 'mail.alertWitnessText', 'mail.alertConsoleButton'],
  'stream-failing': ['mail.alertStream', 'mail.alertStreamText', 'mail.alertConsoleButton'],
  'certificate-expiring': ['mail.alertCertificate', 'mail.alertCertificateText', 'mail.alertClockButton'],
  'credential-ending': ['mail.alertCredential', 'mail.alertCredentialText', 'mail.alertSignInButton'],
  'sync-stopped': ['mail.alertSync', 'mail.alertSyncText', 'mail.alertSignInButton'],
  'webhook-off': ['mail.alertWebhook', 'mail.alertWebhookText', 'mail.alertConsoleButton'],
};

function describe(payload: AlertTopic, texts: Texts): Alert {
  if ('detail' in payload) {
    const [summary, explanation, button] = causes[payload.topic];
    return {
      summary: texts.say(summary),
      explanation: texts.say(explanation),
      facts: [{ label: texts.say('mail.labelCause'), value: payload.detail }],
      button: texts.say(button),
    };
  }
  switch (payload.topic) {
    case 'storage-full':
      return storageFull(payload, texts);
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
  }
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

// Reads when the certificate of the public address ends. The console and an alert warn before it does.
import { deleteMeta, setMeta } from '../db/system/installation.ts';
import { readCertificateEnd, serverOf } from '../lib/certificate-end.ts';
import type { Job } from './job.ts';

export const checkCertificate: Job = {
  name: 'check-certificate',
  everyMs: 12 * 3_600_000,
  isHarmless: true,
  async run(ctx) {
    const url = new URL(ctx.settings.surroundings.baseUrl);
    const endsAt = url.protocol === 'https:' ? await readCertificateEnd(serverOf(url, 443)).catch(() => null) : null;
    if (endsAt === null) {
      await ctx.db.write((tx) => deleteMeta(tx, 'certificate_end'));
      return 'no certificate was found at the public address';
    }
    await ctx.db.write((tx) => setMeta(tx, 'certificate_end', String(endsAt)));
    return `the certificate ends on ${new Date(endsAt).toISOString()}`;
  },
};

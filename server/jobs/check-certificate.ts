// Reads when the certificate of the public address ends, and those of sign-in services with their secrets. The console and
// mails warn before they do.

import type { Ctx } from '../actions/context.ts';
import { announceCredentialEnds } from '../actions/identity/credential-ends.ts';
import { deleteMeta, setMeta } from '../db/system/installation.ts';
import { readCertificateEnd, serverOf } from '../lib/certificate-end.ts';
import { counted } from '../lib/counted.ts';
import type { Job } from './job.ts';

export const checkCertificate: Job = {
  name: 'check-certificate',
  everyMs: 3_600_000,
  isHarmless: true,
  async run(ctx) {
    const announced = await announceCredentialEnds(ctx);
    const note = await readPublicCertificate(ctx);
    return announced === 0 ? note : `${note}; ${counted(announced, 'end')} announced`;
  },
};

async function readPublicCertificate(ctx: Ctx): Promise<string> {
  const url = new URL(ctx.settings.surroundings.baseUrl);
  const endsAt = url.protocol === 'https:' ? await readCertificateEnd(serverOf(url, 443)).catch(() => null) : null;
  if (endsAt === null) {
    await ctx.db.write((tx) => deleteMeta(tx, 'certificate_end'));
    return 'no certificate was found at the public address';
  }
  await ctx.db.write((tx) => setMeta(tx, 'certificate_end', String(endsAt)));
  return `the certificate ends on ${new Date(endsAt).toISOString()}`;
}

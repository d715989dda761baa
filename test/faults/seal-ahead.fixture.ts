// Seals events once, with a clock that is ahead by the milliseconds of its argument.
import { sealAll } from '#server/actions/evidence/seal.ts';
import { readConfig } from '#server/config.ts';
import { openInside } from '#server/installation/open.ts';
import { systemClock } from '#server/lib/clock.ts';
import { silentLog } from '#server/lib/log.ts';

const aheadMs = Number(process.argv[2]);
const base = systemClock();
const clock = { ...base, now: () => base.now() + aheadMs };
const { ctx, close } = await openInside(readConfig(), silentLog, { substitutes: { clock } });
await sealAll(ctx);
await close();

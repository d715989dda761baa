import type { CheckProgress } from '#web/pages/props.ts';
import type { FileCheck } from '../../actions/scanning/file-checks.ts';
import { hasScanner } from '../../domain/scanner-settings.ts';
import type { HttpDeps } from '../deps.ts';

/** Files without a check are still being stored. */
export function checkProgress({ ctx }: HttpDeps, check: FileCheck | undefined): CheckProgress {
  return { forViruses: check !== undefined && hasScanner(ctx.settings), percent: check?.percent ?? null };
}

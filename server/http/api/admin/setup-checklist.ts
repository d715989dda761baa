import { listSetupSteps } from '../../../actions/setup/checklist.ts';
import type { Serve } from '../../endpoint.ts';

export function serveSetupChecklist(serve: Serve): void {
  serve('listSetupSteps', async ({ deps, ctx, caller }) => ({
    steps: await listSetupSteps(ctx, caller, { canSendMail: deps.mail.route.isReal }),
  }));
}

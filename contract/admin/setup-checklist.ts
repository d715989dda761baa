// What is left to do after the first start.
import { z } from 'zod';
import { adminCall, define } from '../endpoint.ts';

export const setupStep = z
  .enum(['mail', 'public_address', 'backup', 'second_step', 'second_administrator', 'second_person', 'branding'])
  .meta({ id: 'SetupStep' });

export type SetupStep = z.output<typeof setupStep>;

export const setupChecklistEndpoints = {
  listSetupSteps: define({
    ...adminCall,
    right: 'system.change',
    method: 'GET',
    path: '/admin/setup-steps',
    summary: 'What is left to set up',
    answer: z.object({ steps: z.array(setupStep).describe('Empty when everything is done.') }),
    origin: 'additive',
  }),
} as const;

// Policy explained, for administrators' scripts.
import { z } from 'zod';
import { dryRunAnswer } from '../dry-runs.ts';
import { adminCall, define } from '../endpoint.ts';
import { createMessage } from '../messages.ts';

export const explainInput = z.object({
  explain: z.object({
    user: z.string().max(400).describe('Id or e-mail address.'),
    message: createMessage.shape.message,
  }),
});

export const whichGroupAnswer = z.object({
  which: z.object({
    email: z.string(),
    group: z.object({ id: z.string(), name: z.string() }),
    rule: z
      .enum(['account', 'default'])
      .describe('`account`: somebody with this address is in it. `default`: people added without a group get it.'),
  }),
});

export const policyEndpoints = {
  explainPolicy: define({
    ...adminCall,
    right: 'people.manage',
    method: 'POST',
    path: '/admin/policy/explain',
    summary: 'What the rules say to a message of somebody; nothing is made',
    body: explainInput,
    answer: dryRunAnswer,
    origin: 'additive',
  }),
  whichGroup: define({
    ...adminCall,
    right: 'people.manage',
    method: 'GET',
    path: '/admin/groups/which',
    summary: 'The group of an address, and the rule that decides',
    query: z.object({ email: z.string().optional().describe('E-mail address.') }),
    answer: whichGroupAnswer,
    origin: 'additive',
  }),
} as const;

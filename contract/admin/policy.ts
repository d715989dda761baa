// Policy explained, for administrators' scripts.
import { z } from 'zod';
import { dryRunAnswer, ruleVerdict } from '../dry-runs.ts';
import { adminCall, define } from '../endpoint.ts';
import { createMessage } from '../messages.ts';
import { instant, optional } from '../wire.ts';

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

const replayedSend = {
  id: z.string().describe('Of the message, link or request.'),
  kind: z.enum(['message', 'link', 'request']),
  sent_at: instant,
  user: z.string().describe('E-mail address of the sender.'),
};

export const replayInput = z.object({
  replay: z.object({
    group: optional(z.record(z.string().max(100), z.unknown())).describe(
      'Settings of the group that change, by their names. None: there is no difference.',
    ),
    days: optional(z.int()).describe('From 1 to 90; 30 unless said otherwise.'),
  }),
});

export const replayAnswer = z.object({
  replay: z
    .object({
      sends: z.int().describe('How many were looked at.'),
      refused: z.array(z.object({ ...replayedSend, rules: z.array(ruleVerdict) })),
      changed: z.array(
        z.object({
          ...replayedSend,
          values: z.array(z.object({ field: z.string(), from: z.unknown(), to: z.unknown() })),
        }),
      ),
      complete: z.boolean().describe('False when there was more than one reply can hold.'),
    })
    .meta({ id: 'Replay' }),
});

export const policyEndpoints = {
  replayGroup: define({
    ...adminCall,
    right: 'system.read',
    method: 'POST',
    path: '/admin/groups/:id/replay',
    summary: 'Which real sends of the last days changed settings would have refused or changed',
    body: replayInput,
    answer: replayAnswer,
    origin: 'additive',
  }),
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

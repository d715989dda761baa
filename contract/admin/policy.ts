// Policy explained, for administrators' scripts.
import { z } from 'zod';
import { rulesAnswer } from '../app/account.ts';
import { derived, named, wire } from '../codec.ts';
import { dryRunAnswer, ruleVerdict } from '../dry-runs.ts';
import { adminCall, define } from '../endpoint.ts';
import { createMessage } from '../messages.ts';
import { instantMs, optionalOr } from '../wire.ts';

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
      .enum(['account', 'domain', 'default'])
      .describe(
        '`account`: a person with this address is in it. `domain`: it claims the domain. `default`: people added without a group get it.',
      ),
  }),
});

const replayedSend = {
  id: named('reference', z.string().describe('Reference of the message, link or request.')),
  kind: derived(
    z.enum(['message', 'link', 'request']),
    ({ facts }: { facts: { kind: 'message' | 'link' | 'request' } }) => facts.kind,
  ),
  sent_at: instantMs,
  user: z.string().describe('E-mail address of the sender.'),
};

export const replayInput = z.object({
  replay: z.object({
    group: optionalOr(z.record(z.string().max(100), z.unknown()), {}).describe(
      'Settings of the group that change, by their names. None: there is no difference.',
    ),
    days: optionalOr(z.int(), 30).describe('From 1 to 90; 30 unless said otherwise.'),
  }),
});

export const replayAnswer = z.object({
  replay: wire({
    sends: z.int().describe('How many were looked at.'),
    refused: z.array(wire({ ...replayedSend, rules: z.array(ruleVerdict) })),
    changed: z.array(
      wire({
        ...replayedSend,
        values: z.array(z.object({ field: z.string(), from: z.unknown(), to: z.unknown() })),
      }),
    ),
    complete: named('isComplete', z.boolean().describe('False when there was more than one reply can hold.')),
  }).meta({ id: 'Replay' }),
});

export const policySettingsAnswer = z.object({
  settings: z.array(
    wire({
      key: z.string(),
      kind: z.enum(['flag', 'number', 'choice', 'word', 'text', 'extensions', 'domains', 'networks', 'custom']),
      default: z.unknown().describe('Of a group of local people.'),
      default_outside: z.unknown().describe('Of a group of outside people.'),
      min: z.int().optional(),
      max: z.int().optional(),
      choices: z.array(z.union([z.int(), z.string()])).optional(),
      max_length: z.int().optional(),
    }).meta({ id: 'PolicySetting' }),
  ),
});

export const previewInput = z.object({
  preview: z.object({
    group: optionalOr(z.record(z.string().max(100), z.unknown()), {}).describe('Settings that change.'),
  }),
});

export const policyEndpoints = {
  listPolicySettings: define({
    ...adminCall,
    right: 'console.read',
    method: 'GET',
    path: '/admin/policy/settings',
    summary: 'Every setting of a group with its limits and its default',
    answer: policySettingsAnswer,
    origin: 'additive',
  }),
  previewGroup: define({
    ...adminCall,
    right: 'system.read',
    method: 'POST',
    path: '/admin/groups/:id/preview',
    summary: 'How a group’s rules would read to its people with changed settings; saves nothing',
    body: previewInput,
    answer: rulesAnswer,
    origin: 'additive',
  }),
  replayGroup: define({
    ...adminCall,
    right: 'system.read',
    shows: 'transfers',
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
    summary: 'Check a message of a person against the rules; creates nothing',
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

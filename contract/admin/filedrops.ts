// Drop pages of functions, such as "Accounts payable", for administrators.
import { z } from 'zod';
import { named, wire } from '../codec.ts';
import { adminCall, define } from '../endpoint.ts';
import { id, instantMs } from '../wire.ts';

const settings = {
  name: z.string().max(200).describe('The last part of its address: letters, digits and dashes.'),
  title: z.string().max(400),
  intro: z.string().max(10_000).describe('Plain text above the form; empty for none.'),
  receivers: z
    .array(z.string().max(400))
    .max(1000)
    .describe('Ids or e-mail addresses of people. The first who can receive keeps the files; all get the message.'),
  max_size: z
    .int()
    .nullable()
    .describe('MB in one delivery; never more than the group of the first receiver permits, which holds for null.'),
  permitted_extensions: z.string().max(20_000).describe('Only these, with commas; empty for what that group permits.'),
  confirm_sender: named(
    'confirmsSender',
    z.boolean().describe('Senders prove their address with a code before files are delivered.'),
  ),
  open: named('isOpen', z.boolean().describe('false: the address leads nowhere.')),
};

export const systemDrop = wire({
  id,
  ...settings,
  receivers: z.array(
    wire({
      id: z.string().describe('Empty, like name and e-mail, for a person the caller cannot manage.'),
      name: z.string(),
      email: z.string(),
      can_receive: z.boolean().describe('false: the account is switched off, or its address is not confirmed.'),
    }),
  ),
  url: z.string(),
  may_change: z.boolean().describe('false: a receiver is a person the caller cannot manage.'),
  deliveries: z.int().min(0),
  last_delivery_at: instantMs.nullable(),
  created_at: instantMs,
  updated_at: instantMs,
}).meta({ id: 'SystemDrop' });

export const systemDropAnswer = z.object({ filedrop: systemDrop });
export const systemDropsAnswer = z.object({ filedrops: z.array(systemDrop) });
const changes = z.object(settings).partial();
export const createSystemDrop = z.object({
  filedrop: wire(changes.required({ name: true, title: true, receivers: true }).shape),
});
export const changeSystemDrop = z.object({ filedrop: wire(changes.shape) });

export type SystemDropBody = z.input<typeof systemDrop>;

export const systemDropEndpoints = {
  listSystemDrops: define({
    ...adminCall,
    right: 'console.read',
    method: 'GET',
    path: '/admin/filedrops',
    summary: 'Drop pages of functions, by title',
    answer: systemDropsAnswer,
    origin: 'additive',
  }),
  createSystemDrop: define({
    ...adminCall,
    right: 'console.change',
    method: 'POST',
    path: '/admin/filedrops',
    summary: 'Make a drop page for a function',
    body: createSystemDrop,
    answer: systemDropAnswer,
    origin: 'additive',
  }),
  getSystemDrop: define({
    ...adminCall,
    right: 'console.read',
    method: 'GET',
    path: '/admin/filedrops/:id',
    summary: 'One drop page of a function',
    answer: systemDropAnswer,
    origin: 'additive',
  }),
  changeSystemDrop: define({
    ...adminCall,
    right: 'console.change',
    method: 'PUT',
    path: '/admin/filedrops/:id',
    summary: 'Change what is given: address, words, receivers, limits, open or closed',
    body: changeSystemDrop,
    answer: systemDropAnswer,
    origin: 'additive',
  }),
  deleteSystemDrop: define({
    ...adminCall,
    right: 'console.change',
    method: 'DELETE',
    path: '/admin/filedrops/:id',
    summary: 'Delete a drop page; what was handed in stays with its receivers',
    answer: 'empty',
    origin: 'additive',
  }),
} as const;

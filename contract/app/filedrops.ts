// The caller's own drop page.
import { z } from 'zod';
import { wire } from '../codec.ts';
import { appCall, define } from '../endpoint.ts';

export const appDrop = wire({
  is_available: z.boolean().describe("false: the caller's group has no drop page; addresses are blank."),
  is_open: z.boolean().describe('The caller has it switched on.'),
  random_url: z.string().describe('Blank when the group has none.'),
  email_url: z.string().describe('Blank when the group has none.'),
  confirm_sender: z.boolean().describe('Senders must confirm their address first.'),
  max_size: z.int().min(1).describe('Mb per delivery.'),
  deliveries: z.int().min(0),
}).meta({ id: 'AppDrop' });

export const appDropAnswer = z.object({ drop: appDrop });
export const changeDrop = wire({ is_open: z.boolean() });

export type AppDropBody = z.input<typeof appDrop>;

export const appFiledropEndpoints = {
  getAppDrop: define({
    ...appCall,
    method: 'GET',
    path: '/app-api/drop',
    summary: "The caller's drop page",
    answer: appDropAnswer,
  }),
  changeAppDrop: define({
    ...appCall,
    method: 'PUT',
    path: '/app-api/drop',
    summary: 'Switch it on or off',
    body: changeDrop,
    answer: appDropAnswer,
  }),
  resetAppDrop: define({
    ...appCall,
    method: 'POST',
    path: '/app-api/drop/reset',
    summary: 'Replace the address with a new random one; the old one stops working immediately',
    answer: appDropAnswer,
  }),
} as const;

// A setting of the operator: its value in force and its source. Never secrets.
import { z } from 'zod';
import { wire } from '../codec.ts';

export const settingInForce = wire({
  name: z.string().describe('The name of its environment variable.'),
  meaning: z.string(),
  value: z.string().describe('As it is in force; `•••` for a secret that is set.'),
  source: z.enum(['environment', 'file', 'default']),
  is_secret: z.boolean(),
}).meta({ id: 'SettingInForce' });

export type SettingInForceBody = z.input<typeof settingInForce>;

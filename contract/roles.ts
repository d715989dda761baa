// The four roles on the wire.
import { z } from 'zod';

export const role = z.enum(['user', 'auditor', 'administrator', 'system_administrator']);

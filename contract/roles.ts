// The four roles as they travel. What each may do is the server's to decide.
import { z } from 'zod';

export const role = z.enum(['user', 'auditor', 'administrator', 'system_administrator']);

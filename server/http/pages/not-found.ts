// Also for addresses that must look unknown.
import type { NotAvailablePage } from '#web/pages/props.ts';

export const notFoundPage: NotAvailablePage = { kind: 'not-available', reason: { is: 'unknown' }, about: null };

// The console's navigation. `who` equals that of the screen's line in routes.tsx.

import type { LinkProps } from '@tanstack/react-router';
import {
  Boxes,
  ClipboardCheck,
  Download,
  FileCheck2,
  FileStack,
  HardDrive,
  Inbox,
  KeyRound,
  LayoutDashboard,
  type LucideIcon,
  Mail,
  Palette,
  PenLine,
  Scale,
  ScanSearch,
  ScrollText,
  ServerCog,
  ShieldAlert,
  ShieldCheck,
  Users,
  Webhook,
} from 'lucide-react';
import type { TextKey } from '../texts.ts';
import { administrators, consoleRoles, type Role, systemReaders } from './roles.ts';

export interface ConsoleItem {
  to: LinkProps['to'];
  label: TextKey<'admin/console'>;
  icon: LucideIcon;
  who: readonly Role[];
}

export interface ConsoleSection {
  /** Null for the first section. */
  label: TextKey<'admin/console'> | null;
  items: ConsoleItem[];
}

const sections: ConsoleSection[] = [
  { label: null, items: [{ to: '/admin/overview', label: 'overview', icon: LayoutDashboard, who: consoleRoles }] },
  {
    label: 'sectionPeople',
    items: [
      { to: '/admin/people', label: 'users', icon: Users, who: administrators },
      { to: '/admin/groups', label: 'groups', icon: Boxes, who: consoleRoles },
    ],
  },
  {
    label: 'sectionTransfers',
    items: [
      { to: '/admin/transfers', label: 'transfers', icon: FileStack, who: consoleRoles },
      { to: '/admin/drop-pages', label: 'filedrops', icon: Inbox, who: consoleRoles },
      { to: '/admin/reviews', label: 'reviews', icon: ClipboardCheck, who: consoleRoles },
      { to: '/admin/quarantine', label: 'quarantine', icon: ShieldAlert, who: systemReaders },
      { to: '/admin/storage', label: 'storage', icon: HardDrive, who: systemReaders },
    ],
  },
  {
    label: 'sectionMail',
    items: [
      { to: '/admin/branding', label: 'branding', icon: Palette, who: consoleRoles },
      { to: '/admin/mail', label: 'mailDelivery', icon: Mail, who: systemReaders },
      { to: '/admin/templates', label: 'mailTemplates', icon: PenLine, who: systemReaders },
    ],
  },
  {
    label: 'sectionSystem',
    items: [
      { to: '/admin/activity', label: 'events', icon: ScrollText, who: consoleRoles },
      { to: '/admin/evidence', label: 'evidence', icon: FileCheck2, who: consoleRoles },
      { to: '/admin/webhooks', label: 'webhooks', icon: Webhook, who: systemReaders },
      { to: '/admin/legal-holds', label: 'legalHolds', icon: Scale, who: consoleRoles },
      { to: '/admin/downloads', label: 'downloads', icon: Download, who: consoleRoles },
      { to: '/admin/security', label: 'security', icon: ShieldCheck, who: systemReaders },
      { to: '/admin/virus-scanner', label: 'scanner', icon: ScanSearch, who: systemReaders },
      { to: '/admin/sign-in-services', label: 'signInServices', icon: KeyRound, who: systemReaders },
      { to: '/admin/system', label: 'system', icon: ServerCog, who: systemReaders },
    ],
  },
];

/** Omits screens that the role may not open, and empty sections. */
export function sectionsFor(role: Role): ConsoleSection[] {
  return sections
    .map(({ label, items }) => ({ label, items: items.filter(({ who }) => who.includes(role)) }))
    .filter(({ items }) => items.length > 0);
}

export function firstItemFor(role: Role): ConsoleItem | null {
  return sectionsFor(role)[0]?.items[0] ?? null;
}

/** Null if the role may not open it. */
export function itemNamed(label: ConsoleItem['label'], role: Role): ConsoleItem | null {
  const items = sectionsFor(role).flatMap((section) => section.items);
  return items.find((item) => item.label === label) ?? null;
}

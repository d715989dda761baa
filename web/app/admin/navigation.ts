// The console's navigation. `who` equals that of the screen's line in routes.tsx.

import type { LinkProps } from '@tanstack/react-router';
import {
  Boxes,
  Download,
  FileCheck2,
  FileStack,
  HardDrive,
  Inbox,
  LayoutDashboard,
  type LucideIcon,
  Mail,
  Palette,
  PenLine,
  Scale,
  ScrollText,
  ServerCog,
  ShieldCheck,
  Users,
} from 'lucide-react';
import type { TextKey } from '../texts.ts';
import { administrators, everySeat, type Role, systemReaders } from './roles.ts';

export interface ConsolePlace {
  to: LinkProps['to'];
  label: TextKey<'admin/console'>;
  icon: LucideIcon;
  who: readonly Role[];
}

export interface ConsoleSection {
  /** Null for the first section. */
  label: TextKey<'admin/console'> | null;
  places: ConsolePlace[];
}

const sections: ConsoleSection[] = [
  { label: null, places: [{ to: '/admin/overview', label: 'overview', icon: LayoutDashboard, who: everySeat }] },
  {
    label: 'sectionPeople',
    places: [
      { to: '/admin/people', label: 'users', icon: Users, who: administrators },
      { to: '/admin/groups', label: 'groups', icon: Boxes, who: everySeat },
    ],
  },
  {
    label: 'sectionTransfers',
    places: [
      { to: '/admin/transfers', label: 'transfers', icon: FileStack, who: everySeat },
      { to: '/admin/drop-pages', label: 'filedrops', icon: Inbox, who: everySeat },
      { to: '/admin/storage', label: 'storage', icon: HardDrive, who: systemReaders },
    ],
  },
  {
    label: 'sectionMail',
    places: [
      { to: '/admin/branding', label: 'branding', icon: Palette, who: everySeat },
      { to: '/admin/mail', label: 'mailDelivery', icon: Mail, who: systemReaders },
      { to: '/admin/templates', label: 'mailTemplates', icon: PenLine, who: systemReaders },
    ],
  },
  {
    label: 'sectionSystem',
    places: [
      { to: '/admin/activity', label: 'events', icon: ScrollText, who: everySeat },
      { to: '/admin/evidence', label: 'evidence', icon: FileCheck2, who: everySeat },
      { to: '/admin/legal-holds', label: 'legalHolds', icon: Scale, who: everySeat },
      { to: '/admin/downloads', label: 'downloads', icon: Download, who: everySeat },
      { to: '/admin/security', label: 'security', icon: ShieldCheck, who: systemReaders },
      { to: '/admin/system', label: 'system', icon: ServerCog, who: systemReaders },
    ],
  },
];

/** Omits screens that the role may not open, and empty sections. */
export function sectionsFor(role: Role): ConsoleSection[] {
  return sections
    .map(({ label, places }) => ({ label, places: places.filter(({ who }) => who.includes(role)) }))
    .filter(({ places }) => places.length > 0);
}

export function firstPlaceFor(role: Role): ConsolePlace | null {
  return sectionsFor(role)[0]?.places[0] ?? null;
}

/** Null if the role may not open it. */
export function placeNamed(label: ConsolePlace['label'], role: Role): ConsolePlace | null {
  const places = sectionsFor(role).flatMap((section) => section.places);
  return places.find((place) => place.label === label) ?? null;
}

import {
  ArrowDownToLine,
  ChartNoAxesColumn,
  FolderInput,
  Inbox,
  Link2,
  type LucideIcon,
  Send,
  SendHorizontal,
} from 'lucide-react';
import type { Feature, Me } from './me.ts';
import type { TextKey } from './texts.ts';

export interface NavItem {
  to: '/send' | '/sent' | '/received' | '/links' | '/requests' | '/drop' | '/log';
  label: TextKey<'shell'>;
  icon: LucideIcon;
  /** Hidden when the group does not have the feature. */
  feature: Feature | null;
  /** After `g`. */
  key: string | null;
  isInBar: boolean;
}

const items: NavItem[] = [
  { to: '/send', label: 'send', icon: Send, feature: 'messages', key: null, isInBar: true },
  { to: '/sent', label: 'sent', icon: SendHorizontal, feature: 'messages', key: 's', isInBar: true },
  { to: '/received', label: 'received', icon: Inbox, feature: null, key: 'i', isInBar: true },
  { to: '/links', label: 'links', icon: Link2, feature: 'links', key: 'l', isInBar: false },
  { to: '/requests', label: 'requests', icon: FolderInput, feature: 'requests', key: 'f', isInBar: false },
  { to: '/drop', label: 'drop', icon: ArrowDownToLine, feature: 'drop_page', key: null, isInBar: false },
  { to: '/log', label: 'log', icon: ChartNoAxesColumn, feature: null, key: 'd', isInBar: false },
];

export function navItemsOf(me: Me): NavItem[] {
  return items.filter(
    ({ to, feature }) => (feature === null || me.features[feature]) && (to !== '/log' || canShare(me)),
  );
}

/** External users cannot share and have no downloads by others. */
export function canShare({ features }: Me): boolean {
  return features.messages || features.links || features.requests || features.drop_page;
}

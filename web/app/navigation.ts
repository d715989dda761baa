// The app's navigation, in the order of the rail, with required feature and shortcut.
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

export interface Place {
  to: '/send' | '/sent' | '/received' | '/links' | '/requests' | '/drop' | '/log';
  label: TextKey<'shell'>;
  icon: LucideIcon;
  /** Hidden when the group does not have the feature (experience 6, Shell). */
  feature: Feature | null;
  /** After `g`. */
  key: string | null;
  /** On small screens in the bottom bar, not in More. */
  isInBar: boolean;
}

const places: Place[] = [
  { to: '/send', label: 'send', icon: Send, feature: 'messages', key: null, isInBar: true },
  { to: '/sent', label: 'sent', icon: SendHorizontal, feature: 'messages', key: 's', isInBar: true },
  { to: '/received', label: 'received', icon: Inbox, feature: null, key: 'i', isInBar: true },
  { to: '/links', label: 'links', icon: Link2, feature: 'links', key: 'l', isInBar: false },
  { to: '/requests', label: 'requests', icon: FolderInput, feature: 'requests', key: 'f', isInBar: false },
  { to: '/drop', label: 'drop', icon: ArrowDownToLine, feature: 'drop_page', key: null, isInBar: false },
  { to: '/log', label: 'log', icon: ChartNoAxesColumn, feature: null, key: 'd', isInBar: false },
];

export function placesOf(me: Me): Place[] {
  return places.filter(
    ({ to, feature }) => (feature === null || me.features[feature]) && (to !== '/log' || canShare(me)),
  );
}

/** Users who cannot share have no downloads by others: external users see only what they received (experience R11). */
export function canShare({ features }: Me): boolean {
  return features.messages || features.links || features.requests || features.drop_page;
}

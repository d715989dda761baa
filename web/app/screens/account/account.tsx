// On small screens the first page lists the sections; on wide ones the first section is open.

import { Link, useParams } from '@tanstack/react-router';
import { AtSign, Bell, ChevronRight, CircleUser, HardDrive, KeyRound, ListChecks, ShieldCheck } from 'lucide-react';
import type { ComponentType } from 'react';
import { visibleText } from '../../../visible.ts';
import { useMe } from '../../me.ts';
import { PartBoundary } from '../../parts/part-boundary.tsx';
import { Screen } from '../../parts/screen.tsx';
import { useText } from '../../texts.ts';
import { Card } from '../../ui/card.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Muted, Stack } from '../../ui/layout.tsx';
import { useIsNarrow } from '../../ui/narrow.ts';
import { NavLink } from '../../ui/nav-link.tsx';
import classes from './account.module.css';
import { AccountAddresses } from './addresses.tsx';
import { AccountKeys } from './keys.tsx';
import { AccountNotices } from './notices.tsx';
import { AccountRules } from './rules.tsx';
import { AccountSecurity } from './security.tsx';
import { AccountStorage } from './storage.tsx';
import { AccountYou } from './you.tsx';

interface Section {
  id: 'you' | 'addresses' | 'notices' | 'security' | 'storage' | 'keys' | 'rules';
  icon: typeof Bell;
  content: ComponentType;
}

const sections: readonly [Section, ...Section[]] = [
  { id: 'you', icon: CircleUser, content: AccountYou },
  { id: 'addresses', icon: AtSign, content: AccountAddresses },
  { id: 'notices', icon: Bell, content: AccountNotices },
  { id: 'security', icon: ShieldCheck, content: AccountSecurity },
  { id: 'storage', icon: HardDrive, content: AccountStorage },
  { id: 'keys', icon: KeyRound, content: AccountKeys },
  { id: 'rules', icon: ListChecks, content: AccountRules },
];

export default function AccountScreen() {
  const text = useText('account');
  const { group } = useMe();
  const { section: sectionId } = useParams({ strict: false }) as { section?: string };
  const isNarrow = useIsNarrow();
  const known = sections.find(({ id }) => id === sectionId);
  if (known === undefined && (isNarrow || sectionId !== undefined)) return <Index isLost={sectionId !== undefined} />;
  const { id, content: Content } = known ?? sections[0];
  return (
    <div className={classes.layout}>
      <nav className={classes.nav} aria-label={text('sections')}>
        <p>{text('title')}</p>
        <Links chosen={id} />
      </nav>
      <Screen
        key={id}
        title={text(id)}
        lead={text(`${id}Lead`, { group: group.name })}
        back={isNarrow ? { to: '/account', label: text('title') } : undefined}
      >
        <PartBoundary>
          <Stack gap={20}>
            <Content />
          </Stack>
        </PartBoundary>
      </Screen>
    </div>
  );
}

function Links({ chosen }: { chosen: Section['id'] }) {
  const text = useText('account');
  return (
    <Stack as="ul" gap={2}>
      {sections.map(({ id, icon }) => (
        <li key={id}>
          <NavLink
            to="/account/$section"
            params={{ section: id }}
            icon={icon}
            aria-current={id === chosen ? 'page' : undefined}
          >
            {text(id)}
          </NavLink>
        </li>
      ))}
    </Stack>
  );
}

function Index({ isLost }: { isLost: boolean }) {
  const text = useText('account');
  const { name, email, group } = useMe();
  return (
    <Screen
      title={text('title')}
      lead={isLost ? text('unknownSection') : name === '' ? email : `${visibleText(name)} · ${email}`}
    >
      <Card isFlush>
        <ul className={classes.index}>
          {sections.map(({ id, icon }) => (
            <li key={id}>
              <Link to="/account/$section" params={{ section: id }} className={classes.entry}>
                <Icon of={icon} />
                <Stack as="span" gap={2}>
                  <strong>{text(id)}</strong>
                  <Muted as="span">{text(`${id}Lead`, { group: group.name })}</Muted>
                </Stack>
                <Icon of={ChevronRight} />
              </Link>
            </li>
          ))}
        </ul>
      </Card>
    </Screen>
  );
}

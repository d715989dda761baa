// S10 of the experience brief: sections of the account, each at its own address. On small screens the first page is the
// list of them; on wide ones that list stands at the side and the first section is open.
import { Link, useParams } from '@tanstack/react-router';
import { AtSign, Bell, ChevronLeft, ChevronRight, CircleUser, KeyRound, ListChecks, ShieldCheck } from 'lucide-react';
import type { ComponentType } from 'react';
import { useMe } from '../../me.ts';
import { PartBoundary } from '../../parts/part-boundary.tsx';
import { Screen } from '../../parts/screen.tsx';
import { useText } from '../../texts.ts';
import { Card } from '../../ui/card.tsx';
import { Icon } from '../../ui/icon.tsx';
import { useIsPhone } from '../../ui/phone.ts';
import classes from './account.module.css';
import { AccountAddresses } from './addresses.tsx';
import { AccountKeys } from './keys.tsx';
import { AccountNotices } from './notices.tsx';
import { AccountRules } from './rules.tsx';
import { AccountSecurity } from './security.tsx';
import { AccountYou } from './you.tsx';

interface Section {
  id: 'you' | 'addresses' | 'notices' | 'security' | 'keys' | 'rules';
  icon: typeof Bell;
  content: ComponentType;
}

const sections: readonly [Section, ...Section[]] = [
  { id: 'you', icon: CircleUser, content: AccountYou },
  { id: 'addresses', icon: AtSign, content: AccountAddresses },
  { id: 'notices', icon: Bell, content: AccountNotices },
  { id: 'security', icon: ShieldCheck, content: AccountSecurity },
  { id: 'keys', icon: KeyRound, content: AccountKeys },
  { id: 'rules', icon: ListChecks, content: AccountRules },
];

export default function AccountScreen() {
  const text = useText('account');
  const { group } = useMe();
  const { section: wanted } = useParams({ strict: false }) as { section?: string };
  const isPhone = useIsPhone();
  const known = sections.find(({ id }) => id === wanted);
  if (known === undefined && (isPhone || wanted !== undefined)) return <Index isLost={wanted !== undefined} />;
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
        back={
          <Link to="/account" className={classes.back}>
            <Icon of={ChevronLeft} sizePx={18} />
            {text('title')}
          </Link>
        }
      >
        <PartBoundary>
          <div className={classes.stack}>
            <Content />
          </div>
        </PartBoundary>
      </Screen>
    </div>
  );
}

function Links({ chosen }: { chosen: Section['id'] }) {
  const text = useText('account');
  return (
    <ul className={classes.links}>
      {sections.map(({ id, icon }) => (
        <li key={id}>
          <Link
            to="/account/$section"
            params={{ section: id }}
            className={classes.link}
            {...(id === chosen ? { 'aria-current': 'page' as const } : {})}
          >
            <Icon of={icon} />
            {text(id)}
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** The first page on small screens, and what stands at an address nobody knows. */
function Index({ isLost }: { isLost: boolean }) {
  const text = useText('account');
  const { name, email, group } = useMe();
  return (
    <Screen title={text('title')} lead={isLost ? text('unknownSection') : name === '' ? email : `${name} · ${email}`}>
      <Card isFlush>
        <ul className={classes.index}>
          {sections.map(({ id, icon }) => (
            <li key={id}>
              <Link to="/account/$section" params={{ section: id }} className={classes.entry}>
                <Icon of={icon} />
                <span className={classes.entryWords}>
                  <span className={classes.entryName}>{text(id)}</span>
                  <span className={classes.muted}>{text(`${id}Lead`, { group: group.name })}</span>
                </span>
                <Icon of={ChevronRight} />
              </Link>
            </li>
          ))}
        </ul>
      </Card>
    </Screen>
  );
}

// Recipients: one row each, in pages, with a search for many.

import { UserPlus } from 'lucide-react';
import { useRef } from 'react';
import type { PersonBody, SentMessageBody } from '#contract/app/messages.ts';
import { type List, useList } from '../../../list.ts';
import { useNames } from '../../../names.ts';
import { useText } from '../../../texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Pager, TableMessage } from '../../../ui/data-table-parts.tsx';
import type { Filter } from '../../../ui/filter.ts';
import { FilterBar } from '../../../ui/filters.tsx';
import { Row, Stack } from '../../../ui/layout.tsx';
import { useIsListNarrow } from '../../../ui/narrow.ts';
import { EmptyState } from '../../../ui/states.tsx';
import type { TrackerProps } from './dialog-props.ts';
import { NotRecipients } from './others.tsx';
import classes from './people.module.css';
import { SentPerson } from './person.tsx';

/** More people are searched and filtered. */
const fewPeople = 10;

export function SentPeople(props: TrackerProps) {
  const { message, openDialog } = props;
  const text = useText('sent');
  const active = message.people.filter(({ state }) => state !== 'revoked');
  const former = message.people.filter(({ state }) => state === 'revoked');
  return (
    <Stack gap={20}>
      {active.length === 0 && former.length > 0 && !message.actions.add_recipient ? null : (
        <Card isFlush>
          <div className={classes.bar}>
            <Row isSpread>
              <h2 className={classes.count}>
                {text('peopleProgress', { count: active.length, done: message.people_done })}
              </h2>
              {message.actions.add_recipient ? (
                <Button size="small" icon={UserPlus} onClick={() => openDialog({ kind: 'add' })}>
                  {text('addRecipient')}
                </Button>
              ) : null}
            </Row>
          </div>
          {active.length === 0 ? (
            <EmptyState>{text(message.people.length === 0 ? 'noPeople' : 'saysNobody')}</EmptyState>
          ) : (
            <People {...props} people={active} />
          )}
        </Card>
      )}
      {former.length === 0 ? null : (
        <Card title={text('formerPeople', { n: former.length })} isFlush>
          <PeopleTable {...props} people={former} caption={text('formerPeople', { n: former.length })} />
        </Card>
      )}
      <NotRecipients message={message} onStop={() => openDialog({ kind: 'stop' })} />
    </Stack>
  );
}

interface PeopleProps extends TrackerProps {
  people: readonly PersonBody[];
}

function People(props: PeopleProps) {
  const { message, people } = props;
  const text = useText('sent');
  const list = useList({ filters: ['q', 'state'], sort: '' });
  const filters = useFilters(message);
  const top = useRef<HTMLDivElement>(null);
  const found = useMatching(people, list);
  const page = Math.min(list.page, list.pageCount(found.length));
  const shown = found.slice((page - 1) * list.sizeRows, page * list.sizeRows);
  const turn = () => {
    top.current?.scrollIntoView();
    top.current?.focus({ preventScroll: true });
  };
  return (
    <div ref={top} tabIndex={-1} className={classes.people}>
      {people.length > fewPeople ? (
        <div className={classes.filters}>
          <FilterBar list={list} filters={filters} />
        </div>
      ) : null}
      {shown.length === 0 ? (
        <TableMessage isEmpty error={null} onRetry={() => {}} onClear={list.clear} />
      ) : (
        <PeopleTable {...props} people={shown} caption={text('people')} isOpen={people.length === 1} />
      )}
      {found.length > list.sizeRows ? (
        <div className={classes.pager}>
          <Pager list={{ ...list, page }} total={found.length} next={null} onTurn={turn} />
        </div>
      ) : null}
    </div>
  );
}

const groups: Record<string, readonly PersonBody['state'][]> = {
  problem: ['problem'],
  unopened: ['waiting', 'delivered'],
  opened: ['opened', 'partly'],
  done: ['done'],
};

function useFilters(message: SentMessageBody): Filter[] {
  const text = useText('sent');
  const done = message.files.length > 0 ? 'personDone' : message.private_message ? 'personRead' : 'personReached';
  const choices = [
    { value: 'problem', label: text('personProblem') },
    { value: 'unopened', label: text(message.is_open ? 'personNotOpened' : 'personNeverOpened') },
    { value: 'opened', label: text('personOpened') },
    { value: 'done', label: text(done) },
  ];
  return [
    { name: 'q', label: text('findPerson'), isMain: true },
    { name: 'state', label: text('state'), choices },
  ];
}

/** Problems first; else in the order of the message. */
function useMatching(people: readonly PersonBody[], { filters }: List): PersonBody[] {
  const names = useNames();
  const words = (filters.q ?? '').toLowerCase().split(/\s+/);
  const states = groups[filters.state ?? ''];
  return people
    .filter(({ address, state }) => {
      const known = names.full(address).toLowerCase();
      return words.every((word) => known.includes(word)) && (states === undefined || states.includes(state));
    })
    .toSorted((one, other) => Number(other.state === 'problem') - Number(one.state === 'problem'));
}

interface TableProps extends PeopleProps {
  caption: string;
  isOpen?: boolean;
}

function PeopleTable({ people, caption, isOpen, ...common }: TableProps) {
  const text = useText('sent');
  const isNarrow = useIsListNarrow();
  const hidden = (label: string) => <span className="visually-hidden">{label}</span>;
  return (
    <table className={classes.table}>
      <caption className="visually-hidden">{caption}</caption>
      <colgroup>
        <col className={classes.expander} />
        <col />
        {isNarrow ? null : (
          <>
            <col className={classes.status} />
            <col className={classes.files} />
            <col className={classes.quick} />
          </>
        )}
        <col className={classes.menu} />
      </colgroup>
      <thead className={isNarrow ? 'visually-hidden' : undefined}>
        <tr>
          <th scope="col" className={classes.expander}>
            {hidden(text('showSteps'))}
          </th>
          <th scope="col">{text('recipient')}</th>
          {isNarrow ? null : (
            <>
              <th scope="col" className={classes.status}>
                {text('state')}
              </th>
              <th scope="col" className={classes.files}>
                {text('files')}
              </th>
              <th scope="col" className={classes.quick}>
                {hidden(text('quickAction'))}
              </th>
            </>
          )}
          <th scope="col" className={classes.menu}>
            {hidden(text('moreActions'))}
          </th>
        </tr>
      </thead>
      {people.map((person) => (
        <SentPerson
          key={person.address}
          person={person}
          isNarrow={isNarrow}
          isOpenAtFirst={isOpen === true}
          {...common}
        />
      ))}
    </table>
  );
}

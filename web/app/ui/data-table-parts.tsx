import { ChevronLeft, ChevronRight, Columns3 } from 'lucide-react';
import type { List, Steps } from '../list.ts';
import { useText } from '../texts.ts';
import { Button } from './button.tsx';
import type { Column, Selection, View } from './columns.ts';
import classes from './data-table.module.css';
import { Icon } from './icon.tsx';
import { Menu } from './menu.tsx';
import { EmptyState, ErrorState, Skeleton, SkeletonBar } from './states.tsx';

interface ViewProps<Row> {
  columns: readonly Column<Row>[];
  view: View;
  onChange: (view: View) => void;
}

/** The first column cannot be hidden, because it contains the link. */
export function ViewMenu<Row>({ columns, view, onChange }: ViewProps<Row>) {
  const text = useText('ui');
  const toggle = (id: string) =>
    onChange({
      ...view,
      hidden: view.hidden.includes(id) ? view.hidden.filter((one) => one !== id) : [...view.hidden, id],
    });
  const heights = [
    { label: text('comfortable'), isCompact: false },
    { label: text('compact'), isCompact: true },
  ];
  return (
    <Menu
      label={text('view')}
      trigger={
        <span className={classes.view}>
          <Icon of={Columns3} sizePx={18} /> {text('view')}
        </span>
      }
      groups={[
        {
          label: text('columns'),
          items: columns.slice(1).map(({ id, header }) => ({
            label: header,
            isChosen: !view.hidden.includes(id),
            isMultiple: true,
            onClick: () => toggle(id),
          })),
        },
        {
          label: text('density'),
          items: heights.map(({ label, isCompact }) => ({
            label,
            isChosen: view.isCompact === isCompact,
            onClick: () => onChange({ ...view, isCompact }),
          })),
        },
      ]}
    />
  );
}

/** Covers the column headers, so that a selection does not move the rows. */
export function SelectionBar({ selection }: { selection: Selection | undefined }) {
  const text = useText('ui');
  if (selection === undefined || selection.ids.size === 0) return null;
  return (
    <section className={classes.selected} aria-label={text('selected', { n: selection.ids.size })}>
      <strong className={classes.selectedCount}>{text('selected', { n: selection.ids.size })}</strong>
      {selection.actions}
      {selection.more === undefined ? null : <span className={classes.selectedEnd}>{selection.more}</span>}
    </section>
  );
}

interface PagerProps {
  list: List;
  total: number | undefined;
  next: string | null | undefined;
  onTurn: () => void;
}

export function Pager({ list, total, next, onTurn }: PagerProps) {
  const text = useText('ui');
  if (list.steps !== undefined) return <StepPager steps={list.steps} next={next ?? null} onTurn={onTurn} />;
  if (total === undefined || total <= list.sizeRows) return null;
  const count = list.pageCount(total);
  const turn = (page: number) => () => {
    list.goTo(page);
    onTurn();
  };
  return (
    <nav className={classes.pager} aria-label={text('pages')}>
      <Button size="small" icon={ChevronLeft} isDisabled={list.page <= 1} onClick={turn(list.page - 1)}>
        {text('previousPage')}
      </Button>
      <span>{text('pageOf', { page: list.page, count })}</span>
      <Button size="small" icon={ChevronRight} isDisabled={list.page >= count} onClick={turn(list.page + 1)}>
        {text('nextPage')}
      </Button>
    </nav>
  );
}

function StepPager({ steps, next, onTurn }: { steps: Steps; next: string | null; onTurn: () => void }) {
  const text = useText('ui');
  if (steps.isFirst && next === null) return null;
  const turn = (go: () => void) => () => {
    go();
    onTurn();
  };
  return (
    <nav className={classes.pager} aria-label={text('pages')}>
      <Button size="small" icon={ChevronLeft} isDisabled={steps.isFirst} onClick={turn(steps.back)}>
        {text('previousPage')}
      </Button>
      <Button
        size="small"
        icon={ChevronRight}
        isDisabled={next === null}
        onClick={turn(() => next !== null && steps.next(next))}
      >
        {text('nextPage')}
      </Button>
    </nav>
  );
}

interface MessageProps {
  isEmpty: boolean;
  error: unknown;
  onRetry: () => void;
  onClear: () => void;
}

export function TableMessage({ isEmpty, error, onRetry, onClear }: MessageProps) {
  const text = useText('ui');
  if (isEmpty)
    return (
      <EmptyState action={<Button onClick={onClear}>{text('clearFilters')}</Button>}>{text('noMatches')}</EmptyState>
    );
  if (error) return <ErrorState error={error} onRetry={onRetry} />;
  return (
    <div className={classes.waiting}>
      <Skeleton onRetry={onRetry}>
        {['a', 'b', 'c', 'd', 'e'].map((key) => (
          <SkeletonBar key={key} height="1.75rem" />
        ))}
      </Skeleton>
    </div>
  );
}

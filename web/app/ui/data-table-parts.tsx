// What stands around the rows of a DataTable: sort headers, boxes, the view menu, pages, and the words in place of rows.
import { ArrowDown, ArrowUp, ChevronLeft, ChevronRight, Columns3 } from 'lucide-react';
import type { List } from '../list.ts';
import { useText } from '../texts.ts';
import { Button } from './button.tsx';
import { Checkbox } from './choice.tsx';
import classes from './data-table.module.css';
import type { Column } from './data-table.tsx';
import { EmptyState } from './empty-state.tsx';
import { ErrorState } from './error-state.tsx';
import { Icon } from './icon.tsx';
import { Menu } from './menu.tsx';
import { Skeleton, SkeletonBar } from './skeleton.tsx';

export function SortHeader<Row>({ column, list }: { column: Column<Row>; list: List }) {
  const { header, sort, isNumeric } = column;
  const direction =
    sort === undefined ? null : list.sort === sort ? 'ascending' : list.sort === `-${sort}` ? 'descending' : null;
  return (
    <th scope="col" data-numeric={isNumeric === true} {...(direction === null ? {} : { 'aria-sort': direction })}>
      {sort === undefined ? (
        header
      ) : (
        <button type="button" className={classes.sort} onClick={() => list.sortBy(sort)}>
          {header}
          {direction === null ? null : <Icon of={direction === 'ascending' ? ArrowUp : ArrowDown} sizePx={16} />}
        </button>
      )}
    </th>
  );
}

export function SelectionBox(props: {
  label: string;
  isOn: boolean;
  isPartly?: boolean;
  onChange: (isOn: boolean) => void;
}) {
  const { label, isOn, isPartly, onChange } = props;
  return <Checkbox label={label} isLabelHidden checked={isOn} isPartly={isPartly === true} onChange={onChange} />;
}

interface View {
  hidden: string[];
  isCompact: boolean;
}

interface ViewProps<Row> {
  columns: readonly Column<Row>[];
  view: View;
  onChange: (view: View) => void;
}

/** Which columns, and how high the rows are. The first column stays: it carries the link. */
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
            onPress: () => toggle(id),
          })),
        },
        {
          label: text('density'),
          items: heights.map(({ label, isCompact }) => ({
            label,
            isChosen: view.isCompact === isCompact,
            onPress: () => onChange({ ...view, isCompact }),
          })),
        },
      ]}
    />
  );
}

export function Pager({ list, total }: { list: List; total: number | undefined }) {
  const text = useText('ui');
  if (total === undefined || total <= list.sizeRows) return null;
  const count = list.pageCount(total);
  return (
    <nav className={classes.pager} aria-label={text('pages')}>
      <Button size="small" icon={ChevronLeft} isDisabled={list.page <= 1} onClick={() => list.goTo(list.page - 1)}>
        {text('previousPage')}
      </Button>
      <span>{text('pageOf', { page: list.page, count })}</span>
      <Button size="small" icon={ChevronRight} isDisabled={list.page >= count} onClick={() => list.goTo(list.page + 1)}>
        {text('nextPage')}
      </Button>
    </nav>
  );
}

interface MessageProps {
  isEmpty: boolean;
  error: unknown;
  onRetry: (() => void) | undefined;
  onClear: () => void;
}

/** In place of rows: none match, on their way, or could not be had. */
export function TableMessage({ isEmpty, error, onRetry, onClear }: MessageProps) {
  const text = useText('ui');
  const retry = onRetry === undefined ? {} : { onRetry };
  if (isEmpty)
    return (
      <EmptyState action={<Button onClick={onClear}>{text('clearFilters')}</Button>}>{text('noMatches')}</EmptyState>
    );
  if (error) return <ErrorState error={error} {...retry} />;
  return (
    <div className={classes.waiting}>
      <Skeleton {...retry}>
        {['a', 'b', 'c', 'd', 'e'].map((key) => (
          <SkeletonBar key={key} height="1.75rem" />
        ))}
      </Skeleton>
    </div>
  );
}

// A count for each day as bars, with the same figures as a table: the screen decides which of the two is shown.
import classes from './day-bars.module.css';

export interface DayCount {
  /** YYYY-MM-DD, one for each day of the range, in order. */
  date: string;
  count: number;
}

interface PlotProps {
  days: readonly DayCount[];
  /** The whole in a sentence, for those who do not see it. */
  sentence: string;
  /** `30 Nov 2026: 3 downloads`, when pointed at. */
  nameOf: (day: DayCount) => string;
  /** At the ends of the axis. */
  dateOf: (date: string) => string;
}

const heightUnits = 100;
/** Of the width of a day. */
const gapShare = 0.25;

export function DayBars({ days, sentence, nameOf, dateOf }: PlotProps) {
  const most = Math.max(1, ...days.map(({ count }) => count));
  return (
    <div className={classes.plot}>
      <svg
        className={classes.bars}
        viewBox={`0 0 ${days.length} ${heightUnits}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={sentence}
      >
        {days.map((day, index) =>
          day.count === 0 ? null : (
            <rect
              key={day.date}
              className={classes.bar}
              x={index + gapShare / 2}
              width={1 - gapShare}
              y={heightUnits - (day.count / most) * (heightUnits - 4)}
              height={(day.count / most) * (heightUnits - 4)}
            >
              <title>{nameOf(day)}</title>
            </rect>
          ),
        )}
      </svg>
      <div className={classes.axis} aria-hidden="true">
        <span>{dateOf(days[0]?.date ?? '')}</span>
        <span>{dateOf(days.at(-1)?.date ?? '')}</span>
      </div>
    </div>
  );
}

interface TableProps {
  days: readonly DayCount[];
  caption: string;
  dayHeader: string;
  countHeader: string;
  dateOf: (date: string) => string;
}

/** Newest first, without days on which nothing happened. */
export function DayTable({ days, caption, dayHeader, countHeader, dateOf }: TableProps) {
  return (
    <table className={classes.table} aria-label={caption}>
      <thead>
        <tr>
          <th scope="col">{dayHeader}</th>
          <th scope="col">{countHeader}</th>
        </tr>
      </thead>
      <tbody>
        {days
          .filter(({ count }) => count > 0)
          .toReversed()
          .map(({ date, count }) => (
            <tr key={date}>
              <th scope="row">{dateOf(date)}</th>
              <td>{count}</td>
            </tr>
          ))}
      </tbody>
    </table>
  );
}

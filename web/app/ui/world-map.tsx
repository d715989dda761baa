// Decorative: the text alternative and the adjacent list contain the same.
import { geoNaturalEarth1, geoPath } from 'd3-geo';
import { useMemo } from 'react';
import { feature, mesh } from 'topojson-client';
import outline from 'world-atlas/countries-110m.json' with { type: 'json' };
import classes from './world-map.module.css';

export interface MapCircle {
  key: string;
  latitude: number;
  longitude: number;
  /** The area of the circle. */
  amount: number;
  /** On hover: `Sweden: 31 downloads`. */
  label: string;
}

interface Props {
  sentence: string;
  circles: readonly MapCircle[];
  /** Shows only the part of the world with circles. */
  isFitted: boolean;
  /** Selected, or hovered in the list. */
  marked: string | null;
}

const width = 800;
const height = 400;
const largestRadius = 26;
const smallestRadius = 3.5;
/** At a larger scale the outline would look angular. */
const smallestShare = 0.28;
const antarctica = '010';

type World = Parameters<typeof feature>[0];
type Countries = Extract<World['objects'][string], { type: 'GeometryCollection' }>;

const drawn = draw();

export function WorldMap({ sentence, circles, isFitted, marked }: Props) {
  const placed = useMemo(() => place(circles), [circles]);
  const view = useMemo(() => (isFitted ? fit(placed) : { x: 0, y: 0, share: 1 }), [placed, isFitted]);
  return (
    <svg
      className={classes.map}
      role="img"
      aria-label={sentence}
      viewBox={`${view.x} ${view.y} ${width * view.share} ${height * view.share}`}
    >
      <path className={classes.land} d={drawn.land} />
      <path className={classes.borders} d={drawn.borders} />
      {placed.map(({ key, label, x, y, radius }) => (
        <circle key={key} className={classes.circle} data-marked={key === marked} cx={x} cy={y} r={radius * view.share}>
          <title>{label}</title>
        </circle>
      ))}
    </svg>
  );
}

function draw() {
  const world = outline as unknown as World;
  const countries = world.objects.countries as Countries;
  const inhabited = { ...countries, geometries: countries.geometries.filter(({ id }) => id !== antarctica) };
  const shapes = feature(world, inhabited);
  const projection = geoNaturalEarth1().rotate([-11, 0]).fitSize([width, height], shapes);
  const path = geoPath(projection).digits(1);
  return {
    projection,
    land: path(shapes) ?? '',
    borders: path(mesh(world, inhabited as Parameters<typeof mesh>[1], (one, other) => one !== other)) ?? '',
  };
}

interface Placed {
  key: string;
  label: string;
  x: number;
  y: number;
  radius: number;
}

/** Largest first, so that small circles are on top. */
function place(circles: readonly MapCircle[]): Placed[] {
  const most = Math.max(1, ...circles.map(({ amount }) => amount));
  return circles
    .toSorted((one, other) => other.amount - one.amount)
    .flatMap(({ key, label, latitude, longitude, amount }) => {
      const point = drawn.projection([longitude, latitude]);
      if (point === null) return [];
      const radius = Math.max(smallestRadius, largestRadius * Math.sqrt(amount / most));
      return [{ key, label, x: point[0], y: point[1], radius }];
    });
}

/** Keeps the map's aspect ratio. */
function fit(placed: readonly Placed[]): { x: number; y: number; share: number } {
  if (placed.length === 0) return { x: 0, y: 0, share: 1 };
  const left = Math.min(...placed.map(({ x }) => x)) - largestRadius;
  const right = Math.max(...placed.map(({ x }) => x)) + largestRadius;
  const top = Math.min(...placed.map(({ y }) => y)) - largestRadius;
  const bottom = Math.max(...placed.map(({ y }) => y)) + largestRadius;
  const fitting = 1.25 * Math.max((right - left) / width, (bottom - top) / height);
  const share = Math.min(1, Math.max(smallestShare, fitting));
  const within = (middle: number, size: number) =>
    Math.min(size * (1 - share), Math.max(0, middle - (size * share) / 2));
  return { x: within((left + right) / 2, width), y: within((top + bottom) / 2, height), share };
}

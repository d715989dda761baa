export interface Measurement {
  at: number;
  bytes: number;
}

const dayMs = 86_400_000;
const maxForecastMs = 3650 * dayMs;

/** By least squares. Null if the line never reaches the total. */
export function fullAt(points: readonly Measurement[], totalBytes: number): number | null {
  const first = points[0];
  const last = points.at(-1);
  if (first === undefined || last === undefined || last.at - first.at < dayMs) return null;
  const bytesPerMs = slopeOf(points);
  if (bytesPerMs <= 0) return null;
  const leftMs = Math.max(0, totalBytes - last.bytes) / bytesPerMs;
  return leftMs > maxForecastMs ? null : last.at + leftMs;
}

function slopeOf(points: readonly Measurement[]): number {
  const middle = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const meanAt = middle(points.map(({ at }) => at));
  const meanBytes = middle(points.map(({ bytes }) => bytes));
  const together = points.reduce((sum, { at, bytes }) => sum + (at - meanAt) * (bytes - meanBytes), 0);
  return together / points.reduce((sum, { at }) => sum + (at - meanAt) ** 2, 0);
}

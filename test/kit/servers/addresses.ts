// Addresses of the test servers, from the JSON file that the environment names. Importing this file makes `npm test`
// start them.
import { readFileSync } from 'node:fs';

export interface TestServers {
  /** The maintenance database; suites create and drop their own databases from here. */
  postgresUrl: string;
  s3: { endpoint: string; region: string; accessKey: string; secretKey: string };
  /** Path of the browser; null unless an end-to-end test is selected. */
  chromium: string | null;
}

export const serversVariable = 'WAYBILL_TEST_SERVERS';

/** The servers of this test run, or null; then suites skip. */
export function findTestServers(): TestServers | null {
  const path = process.env[serversVariable];
  return path ? (JSON.parse(readFileSync(path, 'utf8')) as TestServers) : null;
}
